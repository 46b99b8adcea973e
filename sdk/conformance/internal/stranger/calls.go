package main

import (
	"context"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"

	pluginv1 "github.com/crucible-engine/crucible/sdk/proto/crucible/plugin/v1"
)

// calls are those in flight, by the id that the engine gave them. A call that was
// cancelled is answered by gRPC while it still runs here.
type calls struct {
	mu     sync.Mutex
	closed bool
	ended  map[string]chan struct{}
}

// stream is the interceptor of calls that stream.
func (c *calls) stream(srv any, s grpc.ServerStream, _ *grpc.StreamServerInfo, next grpc.StreamHandler) error {
	done, err := c.begin(s.Context())
	if err != nil {
		return err
	}
	defer done()
	return next(srv, s)
}

// unary is the interceptor of the others. Those that end a plugin are always
// answered.
func (c *calls) unary(ctx context.Context, req any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
	switch info.FullMethod {
	case pluginv1.PluginService_Settle_FullMethodName, pluginv1.PluginService_Shutdown_FullMethodName, "/plugin.GRPCController/Shutdown", "/grpc.health.v1.Health/Check":
		return next(ctx, req)
	}
	done, err := c.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	return next(ctx, req)
}

func (c *calls) begin(ctx context.Context) (done func(), err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, fault(codes.Unavailable, pluginv1.ErrorKind_ERROR_KIND_UNAVAILABLE, "call", "the plugin is shutting down", "")
	}
	id := metadata.ValueFromIncomingContext(ctx, "crucible-call-id")
	if len(id) == 0 {
		return func() {}, nil
	}
	ended := make(chan struct{})
	c.ended[id[0]] = ended
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.ended, id[0])
		close(ended)
	}, nil
}

func (c *calls) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
}

// settle waits for the end of a call.
func (c *calls) settle(ctx context.Context, id string) {
	c.mu.Lock()
	ended := c.ended[id]
	c.mu.Unlock()
	if ended == nil {
		return
	}
	select {
	case <-ended:
	case <-ctx.Done():
	}
}
