// Package loopback joins a gRPC server and a client within one process, for
// tests and for suites that try an implementation without a process of its own.
// Every byte is encoded, limited and decoded as between two processes.
package loopback

import (
	"context"
	"net"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/test/bufconn"

	"github.com/crucible-engine/crucible/sdk/plugin/pluginrpc"
)

// Serve starts a server with the options of a plugin and connects to it. The
// function ends both and waits for every handler.
func Serve(calls *pluginrpc.Calls, register func(grpc.ServiceRegistrar)) (*grpc.ClientConn, func(), error) {
	server := grpc.NewServer(append(pluginrpc.ServerOptions(calls), grpc.WaitForHandlers(true))...)
	register(server)
	listener := bufconn.Listen(1 << 20)
	served := make(chan struct{})
	go func() {
		defer close(served)
		// Serve returns when stop is called, and has nothing else to say.
		_ = server.Serve(listener)
	}()
	conn, err := grpc.NewClient("passthrough:loopback", append(pluginrpc.DialOptions(),
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) }),
	)...)
	stop := func() {
		if conn != nil {
			_ = conn.Close()
		}
		server.Stop()
		<-served
	}
	if err != nil {
		stop()
		return nil, nil, err
	}
	return conn, stop, nil
}
