package sdk

import (
	"context"
	"errors"

	goplugin "github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"
)

// services registers a plugin's services with the handshake library.
type services struct {
	goplugin.NetRPCUnsupportedPlugin
	register func(grpc.ServiceRegistrar)
}

var _ goplugin.GRPCPlugin = services{}

// GRPCServer registers. The broker is not used: what flows towards the host is
// the answer to one of its calls.
func (s services) GRPCServer(_ *goplugin.GRPCBroker, server *grpc.Server) error {
	s.register(server)
	return nil
}

// GRPCClient is the host's side.
func (services) GRPCClient(context.Context, *goplugin.GRPCBroker, *grpc.ClientConn) (any, error) {
	return nil, errors.New("the sdk is the plugin's side only")
}
