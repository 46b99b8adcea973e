package conformance

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"sync"
)

// Outcome is how a case ended that was tried without a test.
type Outcome struct {
	Failed, Skipped bool
	// Log is what the case had to say, in order: its demand, then every fault.
	Log []string
}

// Try runs the case where there is no test. It returns when everything that the
// case started has ended.
func (c Case) Try(ctx context.Context, target Target) Outcome {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	a := &attempt{ctx: ctx}
	a.separate(func() { c.Run(a, target) })
	cancel() // as a test does: its context ends before its cleanups
	for _, f := range slices.Backward(a.cleanups) {
		a.separate(f)
	}
	return a.outcome
}

// attempt is the T of a case that runs without a test.
type attempt struct {
	ctx context.Context

	mu       sync.Mutex
	outcome  Outcome
	cleanups []func()
}

// separate runs f on a goroutine of its own, which Fatalf and Skipf end. A panic
// is a fault of the case.
func (a *attempt) separate(f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if r := recover(); r != nil {
				a.Errorf("panic: %v", r)
			}
		}()
		f()
	}()
	<-done
}

func (a *attempt) Helper()                  {}
func (a *attempt) Context() context.Context { return a.ctx }

func (a *attempt) TempDir() string {
	dir, err := os.MkdirTemp("", "crucible-conformance-")
	if err != nil {
		a.Fatalf("make a directory: %v", err)
	}
	a.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func (a *attempt) Cleanup(f func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.cleanups = append(a.cleanups, f)
}

func (a *attempt) note(change func(*Outcome), format string, args ...any) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.outcome.Log = append(a.outcome.Log, fmt.Sprintf(format, args...))
	change(&a.outcome)
}

func (a *attempt) Logf(format string, args ...any) { a.note(func(*Outcome) {}, format, args...) }

func (a *attempt) Errorf(format string, args ...any) {
	a.note(func(o *Outcome) { o.Failed = true }, format, args...)
}

func (a *attempt) Fatalf(format string, args ...any) {
	a.Errorf(format, args...)
	runtime.Goexit()
}

func (a *attempt) Skipf(format string, args ...any) {
	a.note(func(o *Outcome) { o.Skipped = true }, format, args...)
	runtime.Goexit()
}
