// Package bare is the least that a go-plugin host and a go-plugin plugin have to
// agree on. The engine's start is measured beside it.
package bare

import (
	"context"

	"github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"
)

// Handshake is known to both sides.
func Handshake() plugin.HandshakeConfig {
	return plugin.HandshakeConfig{ProtocolVersion: 1, MagicCookieKey: "BARE_PLUGIN", MagicCookieValue: "bare"}
}

// Plugins is a plugin without a service of its own; go-plugin adds its health
// service.
func Plugins() plugin.PluginSet { return plugin.PluginSet{"bare": empty{}} }

type empty struct{ plugin.NetRPCUnsupportedPlugin }

var _ plugin.GRPCPlugin = empty{}

func (empty) GRPCServer(*plugin.GRPCBroker, *grpc.Server) error { return nil }

func (empty) GRPCClient(context.Context, *plugin.GRPCBroker, *grpc.ClientConn) (any, error) {
	return nil, nil
}
