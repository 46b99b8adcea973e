package host

import (
	"context"
	"sync"
)

// calls are the calls in flight, so that Close can cancel them. The zero value
// is ready.
type calls struct {
	mu      sync.Mutex
	over    bool
	cancels map[*context.CancelFunc]struct{}
}

// bind gives a context for one call, which ends with ctx or with cancelAll, and
// the function that ends it.
func (c *calls) bind(ctx context.Context) (context.Context, func(), error) {
	ctx, cancel := context.WithCancel(ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over {
		cancel()
		return nil, nil, ErrClosed
	}
	if c.cancels == nil {
		c.cancels = map[*context.CancelFunc]struct{}{}
	}
	c.cancels[&cancel] = struct{}{}
	return ctx, func() {
		cancel()
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.cancels, &cancel)
	}, nil
}

// cancelAll ends all calls in flight and those to come.
func (c *calls) cancelAll() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over = true
	for cancel := range c.cancels {
		(*cancel)()
	}
}
