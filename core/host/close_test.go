package host_test

import (
	"errors"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/crucible-engine/crucible/core/host"
	"github.com/crucible-engine/crucible/sdk/transport"
)

// Close asks, waits for the grace, and then kills.
func TestClose(t *testing.T) {
	t.Parallel()
	const grace = time.Second
	for _, test := range []struct {
		behaviour string
		limit     time.Duration
	}{
		{"good", 2 * time.Second},
		{"foreign", 5 * time.Second},        // no GRPCController: ends with its stdin
		{"stubborn", grace + 6*time.Second}, // ends for nothing but SIGKILL
		{"stopped", grace + 6*time.Second},  // answers nothing at all
	} {
		t.Run(test.behaviour, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			path := install(t, f.named, "transport", test.behaviour)
			h := f.host(t, func(o *host.Options) { o.ShutdownGrace = grace })
			tr, err := h.Transport(t.Context(), test.behaviour)
			if err != nil {
				t.Fatal(err)
			}
			lines, _, err := turn(t.Context(), tr, "")
			if err != nil {
				t.Fatal(err)
			}
			if pid := processOf(t, lines[0]); test.behaviour == "stopped" {
				_ = syscall.Kill(pid, syscall.SIGSTOP)
			}
			begin := time.Now()
			for range 3 {
				if err := h.Close(); err != nil {
					t.Error(err)
				}
			}
			if took := time.Since(begin); took > test.limit {
				t.Errorf("took %s, want at most %s", took, test.limit)
			}
			wantNoProcess(t, path)
			if got := names(t, filepath.Join(f.runtime, "crucible")); len(got) != 0 {
				t.Errorf("left behind: %v", got)
			}
			if _, _, err := turn(t.Context(), tr, ""); !errors.Is(err, host.ErrClosed) {
				t.Errorf("a turn after Close: got %v, want ErrClosed", err)
			}
			if _, err := h.Transport(t.Context(), test.behaviour); !errors.Is(err, host.ErrClosed) {
				t.Errorf("Transport after Close: got %v, want ErrClosed", err)
			}
		})
	}
}

// Close cancels the calls in flight.
func TestCloseDuringCall(t *testing.T) {
	t.Parallel()
	_, h, tr := good(t)
	running := make(chan struct{})
	var group sync.WaitGroup
	group.Go(func() {
		_, err := tr.RunTurn(t.Context(), transport.Turn{RunID: "r", TurnID: "t", Workspace: "/", Command: "hang"}, func(e transport.Event) error {
			if _, ok := e.(transport.Output); ok {
				close(running)
			}
			return nil
		})
		if !errors.Is(err, host.ErrClosed) {
			t.Errorf("got %v, want ErrClosed", err)
		}
	})
	<-running
	begin := time.Now()
	if err := h.Close(); err != nil {
		t.Error(err)
	}
	group.Wait()
	if took := time.Since(begin); took > 3*time.Second {
		t.Errorf("took %s", took)
	}
}
