package main

import (
	"context"
	"sync"
	"time"

	"google.golang.org/grpc/codes"

	pluginv1 "github.com/crucible-engine/crucible/sdk/proto/crucible/plugin/v1"
)

// turns are those in flight.
type turns struct {
	mu     sync.Mutex
	closed bool
	stops  map[string]context.CancelFunc
	all    sync.WaitGroup
}

func newTurns() *turns { return &turns{stops: map[string]context.CancelFunc{}} }

// begin enters a turn. The caller must call done.
func (t *turns) begin(ctx context.Context, id string) (_ context.Context, done func(), err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return nil, nil, fault(codes.Unavailable, pluginv1.ErrorKind_ERROR_KIND_UNAVAILABLE, "run turn", "the plugin is shutting down", "")
	}
	if t.stops[id] != nil {
		return nil, nil, fault(codes.Aborted, pluginv1.ErrorKind_ERROR_KIND_CONFLICT, "run turn", "this turn runs already", id)
	}
	ctx, cancel := context.WithCancel(ctx)
	t.stops[id] = cancel
	t.all.Add(1)
	return ctx, func() {
		cancel()
		t.mu.Lock()
		delete(t.stops, id)
		t.mu.Unlock()
		t.all.Done()
	}, nil
}

// close refuses new turns, and stops those that still run when the grace is over.
func (t *turns) close(grace time.Duration) {
	t.mu.Lock()
	t.closed = true
	t.mu.Unlock()
	timer := time.AfterFunc(grace, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		for _, stop := range t.stops {
			stop()
		}
	})
	defer timer.Stop()
	t.all.Wait()
}
