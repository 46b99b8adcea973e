// Command stranger is a transport that knows of the contract only what
// docs/contract.md says and the protocol files: it uses no package of the SDK
// but the generated ones, as a program in another language would. It shows that
// the page is enough, and runs a turn's command with the shell.
package main

import (
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/health"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"

	pluginv1 "github.com/crucible-engine/crucible/sdk/proto/crucible/plugin/v1"
	transportv1 "github.com/crucible-engine/crucible/sdk/proto/crucible/transport/v1"
)

const (
	cookie   = "9e4f6f6cc9df4a6c8d3d6a6f2f1f5b0e"
	protocol = "2"
	// maxMessage is the contract's limit, which is above that of gRPC.
	maxMessage = 16 << 20
)

func description() *pluginv1.DescribeResponse {
	return &pluginv1.DescribeResponse{
		Kind: "transport", Name: "stranger", Version: "1.0.0", Contract: "0.2.0",
		Features: []string{"session.persist", "turns.parallel"},
	}
}

func main() {
	if len(os.Args) == 2 && os.Args[1] == "--describe" {
		d := description()
		_ = json.NewEncoder(os.Stdout).Encode(map[string]any{
			"kind": d.Kind, "name": d.Name, "version": d.Version, "contract": d.Contract,
			"features": d.Features, "needs_env": []string{},
		})
		return
	}
	if os.Getenv("CRUCIBLE_PLUGIN_COOKIE") != cookie {
		fmt.Fprintln(os.Stderr, "this is a plugin of crucible: put it on the plugin path instead of running it")
		os.Exit(1)
	}
	if err := serve(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// serve answers the engine until it says Shutdown, or is gone.
func serve() error {
	own, theirs, err := certificates(os.Getenv("PLUGIN_CLIENT_CERT"))
	if err != nil {
		return err
	}
	socket := filepath.Join(os.Getenv("PLUGIN_UNIX_SOCKET_DIR"), fmt.Sprintf("s%d", os.Getpid()))
	listener, err := net.Listen("unix", socket)
	if err != nil {
		return err
	}
	c := &calls{ended: map[string]chan struct{}{}}
	server := grpc.NewServer(grpc.StreamInterceptor(c.stream), grpc.UnaryInterceptor(c.unary), grpc.MaxRecvMsgSize(maxMessage), grpc.MaxSendMsgSize(maxMessage), grpc.Creds(credentials.NewTLS(&tls.Config{
		Certificates: []tls.Certificate{own}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: theirs, MinVersion: tls.VersionTLS12,
	})))
	state := health.NewServer()
	state.SetServingStatus("plugin", healthv1.HealthCheckResponse_SERVING)
	healthv1.RegisterHealthServer(server, state)
	turns := newTurns()
	p := &pluginService{calls: c, turns: turns, stop: server.Stop}
	pluginv1.RegisterPluginServiceServer(server, p)
	transportv1.RegisterTransportServiceServer(server, &transportService{turns: turns})
	registerController(server, p.end)

	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM)
	go func() { <-signals; p.end() }()
	go func() { _, _ = io.Copy(io.Discard, os.Stdin); p.end() }() // the lifeline

	fmt.Printf("1|%s|unix|%s|grpc|%s\n", protocol, socket, base64.RawStdEncoding.EncodeToString(own.Certificate[0]))
	return server.Serve(listener)
}
