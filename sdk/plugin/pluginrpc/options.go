package pluginrpc

import (
	"google.golang.org/grpc"

	"github.com/crucible-engine/crucible/sdk/contract"
)

// ServerOptions are those of every plugin's server: the limit on messages and
// the interceptors of calls.
func ServerOptions(calls *Calls) []grpc.ServerOption {
	return []grpc.ServerOption{
		grpc.MaxRecvMsgSize(contract.MaxMessage),
		grpc.MaxSendMsgSize(contract.MaxMessage),
		grpc.ChainUnaryInterceptor(calls.unary),
		grpc.ChainStreamInterceptor(calls.stream),
	}
}

// DialOptions are those of every connection to a plugin.
func DialOptions() []grpc.DialOption {
	return []grpc.DialOption{grpc.WithDefaultCallOptions(
		grpc.MaxCallRecvMsgSize(contract.MaxMessage),
		grpc.MaxCallSendMsgSize(contract.MaxMessage),
	)}
}
