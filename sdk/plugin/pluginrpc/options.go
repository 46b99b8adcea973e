package pluginrpc

import (
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/keepalive"

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

// A call under way is given up when its plugin, or whoever stopped it, does not
// answer a ping. More often than every five minutes, servers that were not told
// otherwise take pings for an attack.
const (
	aliveEvery = 6 * time.Minute
	aliveWait  = 30 * time.Second
)

// DialOptions are those of every connection to a plugin.
func DialOptions() []grpc.DialOption {
	return []grpc.DialOption{
		grpc.WithDefaultCallOptions(
			grpc.MaxCallRecvMsgSize(contract.MaxMessage),
			grpc.MaxCallSendMsgSize(contract.MaxMessage),
		),
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: aliveEvery, Timeout: aliveWait}),
	}
}
