package main

import (
	"context"
	"slices"
	"sync"
	"syscall"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	pluginv1 "github.com/crucible-engine/crucible/sdk/proto/crucible/plugin/v1"
)

// fault is a status as the page asks for it, with its detail.
func fault(kind pluginv1.ErrorKind, op, subject, message string) error {
	code := codes.Internal
	switch kind {
	case pluginv1.ErrorKind_ERROR_KIND_INVALID:
		code = codes.InvalidArgument
	case pluginv1.ErrorKind_ERROR_KIND_UNAVAILABLE:
		code = codes.Unavailable
	case pluginv1.ErrorKind_ERROR_KIND_CONFLICT:
		code = codes.Aborted
	}
	st, err := status.New(code, message).WithDetails(&pluginv1.ErrorDetail{Kind: kind, Op: op, Subject: subject, Message: message})
	if err != nil {
		return err
	}
	return st.Err()
}

// call is a turn in flight.
type call struct {
	id     string // of the metadata, for Settle
	turn   string
	cancel context.CancelFunc
	done   chan struct{}
	group  int // of the agent's processes, 0 before there is one
}

// calls knows the turns in flight.
type calls struct {
	mu       sync.Mutex
	refusing bool
	all      []*call
}

func newCalls() *calls { return &calls{} }

// begin registers a turn, before anything is done for it.
func (c *calls) begin(ctx context.Context, turn string) (context.Context, *call, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.refusing {
		return nil, nil, fault(pluginv1.ErrorKind_ERROR_KIND_UNAVAILABLE, "run turn", turn, "the plugin is shutting down")
	}
	if slices.ContainsFunc(c.all, func(one *call) bool { return one.turn == turn }) {
		return nil, nil, fault(pluginv1.ErrorKind_ERROR_KIND_CONFLICT, "run turn", turn, "the turn is running already")
	}
	ctx, cancel := context.WithCancel(ctx)
	one := &call{turn: turn, cancel: cancel, done: make(chan struct{})}
	if ids := metadata.ValueFromIncomingContext(ctx, "crucible-call-id"); len(ids) > 0 {
		one.id = ids[0]
	}
	c.all = append(c.all, one)
	return ctx, one, nil
}

func (c *calls) end(one *call) {
	one.cancel()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all = slices.DeleteFunc(c.all, func(other *call) bool { return other == one })
	close(one.done)
}

// wait returns when the calls that are wanted have ended, or with ctx.
func (c *calls) wait(ctx context.Context, wanted func(*call) bool) error {
	c.mu.Lock()
	all := slices.Clone(c.all)
	c.mu.Unlock()
	for _, one := range all {
		if !wanted(one) {
			continue
		}
		select {
		case <-one.done:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// refuse lets no more turns begin.
func (c *calls) refuse() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.refusing = true
}

func (c *calls) cancelAll() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, one := range c.all {
		one.cancel()
	}
}

// killAll kills every agent at once, for the end of the process.
func (c *calls) killAll() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.refusing = true
	for _, one := range c.all {
		if one.group != 0 {
			_ = syscall.Kill(-one.group, syscall.SIGKILL)
		}
	}
}

// start runs begin, which starts the agent's group, unless it is too late.
func (c *calls) start(one *call, begin func() (group int, err error)) (err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.refusing {
		return fault(pluginv1.ErrorKind_ERROR_KIND_UNAVAILABLE, "run turn", one.turn, "the plugin is shutting down")
	}
	one.group, err = begin()
	return err
}

// ended forgets the group, whose number the system may use again.
func (c *calls) ended(one *call) {
	c.mu.Lock()
	defer c.mu.Unlock()
	one.group = 0
}
