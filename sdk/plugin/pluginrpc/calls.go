package pluginrpc

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"

	"github.com/hashicorp/go-hclog"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"github.com/crucible-engine/crucible/sdk/contract"
	"github.com/crucible-engine/crucible/sdk/contract/status"
	pluginv1 "github.com/crucible-engine/crucible/sdk/proto/crucible/plugin/v1"
)

// Calls knows the calls that a plugin's server has in flight.
type Calls struct {
	log hclog.Logger

	mu       sync.Mutex
	refusing bool
	inFlight map[*call]struct{}
}

// call is one call in flight; done is closed when its handler has returned.
type call struct {
	id     string
	cancel context.CancelFunc
	done   chan struct{}
}

// NewCalls is for one server. The stacks of panics go to log.
func NewCalls(log hclog.Logger) *Calls {
	return &Calls{log: log, inFlight: map[*call]struct{}{}}
}

// Refuse makes every later call fail with contract.ErrUnavailable. Describe,
// Settle and Shutdown are still answered.
func (c *Calls) Refuse() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.refusing = true
}

// Cancel ends the context of every call in flight.
func (c *Calls) Cancel() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for one := range c.inFlight {
		one.cancel()
	}
}

// Wait returns when no call is in flight, or with the error of ctx.
func (c *Calls) Wait(ctx context.Context) error {
	return c.wait(ctx, func(*call) bool { return true })
}

// Settle returns when no call with this id is in flight, or with the error of ctx.
func (c *Calls) Settle(ctx context.Context, id string) error {
	return c.wait(ctx, func(one *call) bool { return one.id == id })
}

// wait looks again after each call that ended, since new ones may have come.
func (c *Calls) wait(ctx context.Context, wanted func(*call) bool) error {
	for {
		done := c.find(wanted)
		if done == nil {
			return nil
		}
		select {
		case <-done:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (c *Calls) find(wanted func(*call) bool) <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	for one := range c.inFlight {
		if wanted(one) {
			return one.done
		}
	}
	return nil
}

// ours tells the services of the contract from those of the handshake library
// and of gRPC itself.
func ours(method string) bool { return strings.HasPrefix(method, "/crucible.") }

// free lists the methods that are no work: they are neither counted nor refused.
func free(method string) bool {
	switch method {
	case pluginv1.PluginService_Describe_FullMethodName,
		pluginv1.PluginService_Settle_FullMethodName,
		pluginv1.PluginService_Shutdown_FullMethodName:
		return true
	default:
		return false
	}
}

// begin registers a call; the function it returns must be called at its end.
func (c *Calls) begin(ctx context.Context, method string) (context.Context, func(), error) {
	if free(method) {
		return ctx, func() {}, nil
	}
	ctx, cancel := context.WithCancel(ctx)
	one := &call{cancel: cancel, done: make(chan struct{})}
	if ids := metadata.ValueFromIncomingContext(ctx, contract.CallIDKey); len(ids) > 0 {
		one.id = ids[0]
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.refusing {
		cancel()
		return nil, nil, &contract.Error{Kind: contract.KindUnavailable, Op: op(method), Message: "the plugin is shutting down"}
	}
	c.inFlight[one] = struct{}{}
	return ctx, func() {
		cancel()
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.inFlight, one)
		close(one.done)
	}, nil
}

// guard runs a handler: registered, and with its panic or error as a status.
func (c *Calls) guard(ctx context.Context, method string, handler func(context.Context) error) (err error) {
	defer func() { err = status.ToRPC(err) }()
	ctx, end, err := c.begin(ctx, method)
	if err != nil {
		return err
	}
	defer end()
	defer func() {
		if r := recover(); r != nil {
			c.log.Error("panic in a call", "method", method, "panic", fmt.Sprint(r), "stack", string(debug.Stack()))
			err = panicked(method, r)
		}
	}()
	// A call that was cancelled before it was registered must not start: its
	// caller may have been told already that it has settled.
	if err := ctx.Err(); err != nil {
		return err
	}
	return handler(ctx)
}

// panicked is the error of a handler that panicked. The value of the panic may
// hold anything, a prompt too, unless the runtime made it.
func panicked(method string, value any) error {
	text := "the plugin panicked; its log has the stack"
	if r, ok := value.(runtime.Error); ok {
		text += ": " + r.Error()
	}
	return &contract.Error{Kind: contract.KindInternal, Op: op(method), Message: text}
}

// op is the method's name as a person reads it: "TransportService/RunTurn".
func op(method string) string {
	return method[strings.LastIndexByte(method, '.')+1:]
}

func (c *Calls) unary(ctx context.Context, req any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
	if !ours(info.FullMethod) {
		return handler(ctx, req)
	}
	var resp any
	err := c.guard(ctx, info.FullMethod, func(ctx context.Context) (err error) {
		resp, err = handler(ctx, req)
		return err
	})
	return resp, err
}

func (c *Calls) stream(srv any, s grpc.ServerStream, info *grpc.StreamServerInfo, handler grpc.StreamHandler) error {
	if !ours(info.FullMethod) {
		return handler(srv, s)
	}
	return c.guard(s.Context(), info.FullMethod, func(ctx context.Context) error {
		return handler(srv, &stream{ServerStream: s, ctx: ctx})
	})
}

// stream is a server stream with another context.
type stream struct {
	grpc.ServerStream
	ctx context.Context
}

func (s *stream) Context() context.Context { return s.ctx }
