// Barehost PLUGIN starts a plugin twice, one after the other as programs
// commonly do, calls each once and prints a line.
package main

import (
	"fmt"
	"os"
	"os/exec"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"

	"github.com/crucible-engine/crucible/bench/internal/bare"
)

func main() {
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "barehost:", err)
		os.Exit(1)
	}
}

func run(path string) error {
	for range 2 {
		client := plugin.NewClient(&plugin.ClientConfig{
			HandshakeConfig: bare.Handshake(), Plugins: bare.Plugins(), Cmd: exec.Command(path), AutoMTLS: true,
			AllowedProtocols: []plugin.Protocol{plugin.ProtocolGRPC}, Logger: hclog.NewNullLogger(),
		})
		defer client.Kill()
		protocol, err := client.Client()
		if err != nil {
			return err
		}
		if err := protocol.Ping(); err != nil {
			return err
		}
	}
	fmt.Println("ready")
	return nil
}
