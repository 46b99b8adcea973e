// Command stranger is a transport as somebody writes it who has docs/contract.md
// and the protocols and nothing else: no SDK and no handshake library, only what
// gRPC offers in every language. The end-to-end tests start it to try the page.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	pluginv1 "github.com/crucible-engine/crucible/sdk/proto/crucible/plugin/v1"
	transportv1 "github.com/crucible-engine/crucible/sdk/proto/crucible/transport/v1"
)

// What the page gives: nothing here may come from the SDK.
const (
	cookie     = "9e4f6f6cc9df4a6c8d3d6a6f2f1f5b0e"
	contract   = "0.2.0"
	protocol   = "2"
	maxMessage = 16 << 20
	maxLine    = 1 << 20
	killGrace  = 5 * time.Second
)

// description is what --describe prints and Describe answers.
type description struct {
	Kind     string   `json:"kind"`
	Name     string   `json:"name"`
	Version  string   `json:"version"`
	Contract string   `json:"contract"`
	Features []string `json:"features"`
	NeedsEnv []string `json:"needs_env"`
}

func self() description {
	return description{
		Kind: "transport", Name: "stranger", Version: "0.1.0", Contract: contract,
		Features: []string{"turns.parallel"}, NeedsEnv: []string{},
	}
}

func main() {
	switch {
	case len(os.Args) == 2 && os.Args[1] == "--describe":
		exitOn(json.NewEncoder(os.Stdout).Encode(self()))
	case os.Getenv("CRUCIBLE_PLUGIN_COOKIE") != cookie:
		exitOn(fmt.Errorf("this is a plugin of crucible, which starts it; see crucible plugin list"))
	default:
		exitOn(serve())
	}
}

func exitOn(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// serve is a plugin's life, up to the request to stop, the end of stdin or a
// signal.
func serve() error {
	if !slices.Contains(strings.Split(os.Getenv("PLUGIN_PROTOCOL_VERSIONS"), ","), protocol) {
		// The engine explains the difference if it is told our number.
		fmt.Fprintln(os.Stderr, "the engine speaks the protocols", os.Getenv("PLUGIN_PROTOCOL_VERSIONS"))
	}
	security, certificate, err := identify(os.Getenv("PLUGIN_CLIENT_CERT"))
	if err != nil {
		return err
	}
	listener, err := listen(os.Getenv("PLUGIN_UNIX_SOCKET_DIR"))
	if err != nil {
		return err
	}
	over := make(chan struct{})
	running := newCalls()
	server := grpc.NewServer(grpc.Creds(credentials.NewTLS(security)), grpc.MaxRecvMsgSize(maxMessage), grpc.MaxSendMsgSize(maxMessage))
	pluginv1.RegisterPluginServiceServer(server, &pluginService{calls: running})
	transportv1.RegisterTransportServiceServer(server, &transportService{calls: running})
	registerController(server, over)
	go func() { _ = server.Serve(listener) }() // ends with the process

	fmt.Printf("1|%s|unix|%s|grpc|%s\n", protocol, listener.Addr(), certificate)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		_, _ = io.Copy(io.Discard, os.Stdin)
	}()
	select {
	case <-over: // the engine has called Shutdown before; the answer is to reach it
		time.AfterFunc(time.Second, server.Stop)
		server.GracefulStop()
	case <-gone:
	case <-signals:
	}
	running.killAll() // whoever waits for the end does so for two seconds
	server.Stop()     // which removes the socket
	return nil
}
