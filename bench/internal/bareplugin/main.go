// Bareplugin is a go-plugin plugin that does nothing.
package main

import (
	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"

	"github.com/crucible-engine/crucible/bench/internal/bare"
)

func main() {
	plugin.Serve(&plugin.ServeConfig{
		HandshakeConfig: bare.Handshake(), Plugins: bare.Plugins(),
		GRPCServer: plugin.DefaultGRPCServer, Logger: hclog.NewNullLogger(),
	})
}
