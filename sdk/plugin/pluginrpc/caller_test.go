package pluginrpc_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/crucible-engine/crucible/sdk/contract"
	"github.com/crucible-engine/crucible/sdk/plugin/pluginrpc"
	pluginv1 "github.com/crucible-engine/crucible/sdk/proto/crucible/plugin/v1"
)

// wire is a connection that answers every call in the same way.
type wire func(ctx context.Context, method string) error

func (w wire) Invoke(ctx context.Context, method string, _, _ any, _ ...grpc.CallOption) error {
	return w(ctx, method)
}

func (w wire) NewStream(context.Context, *grpc.StreamDesc, string, ...grpc.CallOption) (grpc.ClientStream, error) {
	return nil, errors.ErrUnsupported
}

// deaf never answers.
func deaf(ctx context.Context, _ string) error {
	<-ctx.Done()
	return status.FromContextError(ctx.Err()).Err()
}

// lost is a connection whose other end is gone.
func lost(context.Context, string) error { return status.Error(codes.Unavailable, "EOF") }

func TestStuckPluginIsReported(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		stuck := 0
		client := pluginrpc.NewClient(wire(deaf), pluginrpc.Peer{Stuck: func() { stuck++ }})
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		start := time.Now()
		if _, err := client.Check(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		if got, want := time.Since(start), time.Minute+contract.SettleTimeout; got != want {
			t.Errorf("returned after %v, want %v", got, want)
		}
		if stuck != 1 {
			t.Errorf("Stuck was called %d times", stuck)
		}
	})
}

func TestPluginWithoutSettle(t *testing.T) {
	t.Parallel()
	conn := wire(func(ctx context.Context, method string) error {
		if method == pluginv1.PluginService_Settle_FullMethodName {
			return status.Error(codes.Unimplemented, "unknown method")
		}
		return deaf(ctx, method)
	})
	client := pluginrpc.NewClient(conn, pluginrpc.Peer{Stuck: func() { t.Error("Stuck was called") }})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := client.Check(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestLostConnection(t *testing.T) {
	t.Parallel()
	exit := errors.New("plugin world/git: killed")
	t.Run("nothing known", func(t *testing.T) {
		client := pluginrpc.NewClient(wire(lost), pluginrpc.Peer{})
		if _, err := client.Check(t.Context()); !errors.Is(err, contract.ErrUnavailable) {
			t.Errorf("got %v", err)
		}
	})
	for name, delay := range map[string]time.Duration{"dead": 0, "soon dead": time.Second} {
		synctest.Test(t, func(t *testing.T) {
			exited := make(chan struct{})
			time.AfterFunc(delay, func() { close(exited) })
			client := pluginrpc.NewClient(wire(lost), pluginrpc.Peer{Exited: exited, Err: func() error { return exit }})
			if _, err := client.Check(t.Context()); !errors.Is(err, exit) {
				t.Errorf("%s: got %v", name, err)
			}
		})
	}
	synctest.Test(t, func(t *testing.T) {
		client := pluginrpc.NewClient(wire(lost), pluginrpc.Peer{Exited: make(chan struct{}), Err: func() error { return exit }})
		start := time.Now()
		if _, err := client.Check(t.Context()); !errors.Is(err, contract.ErrUnavailable) {
			t.Errorf("alive: got %v", err)
		}
		if got := time.Since(start); got != pluginrpc.ExitWait {
			t.Errorf("alive: waited %v, want %v", got, pluginrpc.ExitWait)
		}
	})
	// Nothing can be said to a process that lives and does not answer: it is killed.
	synctest.Test(t, func(t *testing.T) {
		exited := make(chan struct{})
		client := pluginrpc.NewClient(wire(lost), pluginrpc.Peer{Exited: exited, Err: func() error { return exit }, Stuck: func() { close(exited) }})
		if _, err := client.Check(t.Context()); !errors.Is(err, exit) {
			t.Errorf("stopped: got %v", err)
		}
	})
}
