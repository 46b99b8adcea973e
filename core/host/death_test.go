package host_test

import (
	"context"
	"errors"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/crucible-engine/crucible/core/host"
	"github.com/crucible-engine/crucible/sdk/contract"
	"github.com/crucible-engine/crucible/sdk/proc"
	"github.com/crucible-engine/crucible/sdk/transport"
)

// good starts a well-behaved transport.
func good(t *testing.T, change ...func(*host.Options)) (*fixture, *host.Host, transport.Transport) {
	t.Helper()
	f := newFixture(t)
	install(t, f.named, "transport", "good")
	h := f.host(t, change...)
	tr, err := h.Transport(t.Context(), "good")
	if err != nil {
		t.Fatal(err)
	}
	return f, h, tr
}

// A process that ends in mid-call fails the call at once, with its status and
// the end of its log; the next call finds a new process.
func TestDiesInMidCall(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		command string
		status  proc.Exit
		tail    string
	}{
		{"die", proc.Exit{Code: 5}, "out of cheese"},
		{"kill", proc.Exit{Code: -1, Signal: syscall.SIGKILL}, ""},
		{"crash", proc.Exit{Code: 2}, "panic: unrecoverable"},
	} {
		t.Run(test.command, func(t *testing.T) {
			t.Parallel()
			_, _, tr := good(t)
			before, _, err := turn(t.Context(), tr, "")
			if err != nil {
				t.Fatal(err)
			}
			begin := time.Now()
			_, _, err = turn(t.Context(), tr, test.command)
			if took := time.Since(begin); took > 2*time.Second {
				t.Errorf("took %s", took)
			}
			var exit *host.ExitError
			if !errors.As(err, &exit) || !errors.Is(err, contract.ErrUnavailable) {
				t.Fatalf("got %v, want an ExitError", err)
			}
			if exit.Status != test.status || !strings.Contains(exit.Tail, test.tail) {
				t.Errorf("got %+v, want %+v and %q", exit.Status, test.status, test.tail)
			}
			after, result, err := turn(t.Context(), tr, "")
			if err != nil || result.Outcome != transport.OutcomeCompleted || after[0] == before[0] {
				t.Errorf("after the death: got %v, %+v, %v", after, result, err)
			}
		})
	}
}

// A panic in a handler costs the call, not the process.
func TestPanicInHandler(t *testing.T) {
	t.Parallel()
	_, _, tr := good(t)
	before, _, err := turn(t.Context(), tr, "panic")
	if !errors.Is(err, contract.ErrInternal) {
		t.Errorf("got %v, want ErrInternal", err)
	}
	after, _, err := turn(t.Context(), tr, "")
	if err != nil || before[0] != after[0] {
		t.Errorf("got %v after %v, %v, want the same process", after, before, err)
	}
}

// What a plugin says itself is passed on without waiting for its death.
func TestPluginUnavailable(t *testing.T) {
	t.Parallel()
	_, _, tr := good(t)
	begin := time.Now()
	_, _, err := turn(t.Context(), tr, "unavailable")
	if !errors.Is(err, contract.ErrUnavailable) || !strings.Contains(err.Error(), "gateway is down") || time.Since(begin) > time.Second {
		t.Errorf("got %v after %s", err, time.Since(begin))
	}
}

// A plugin is started again three times in a run; then it is given up.
func TestRestartsAreCounted(t *testing.T) {
	t.Parallel()
	_, h, tr := good(t)
	for n := range 4 {
		var exit *host.ExitError
		if _, _, err := turn(t.Context(), tr, "die"); !errors.As(err, &exit) {
			t.Fatalf("death %d: got %v, want an ExitError", n+1, err)
		}
	}
	for range 2 {
		_, _, err := turn(t.Context(), tr, "")
		var given *host.RestartError
		if !errors.As(err, &given) || given.Starts != 4 || errors.Is(err, contract.ErrUnavailable) {
			t.Fatalf("got %v, want a RestartError after 4 starts", err)
		}
		for _, part := range []string{"transport/good", "exit status 5", "out of cheese"} {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%q does not say %q", err, part)
			}
		}
	}
	if _, err := h.Transport(t.Context(), "good"); err == nil {
		t.Error("Transport started it once more")
	}
}

// A process that the plugin left behind with its outputs does not hold the host
// up: one in the plugin's group is killed, another is left alone.
func TestGrandchildHoldsOutput(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"grandchild", "grandchild-setsid"} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			_, h, tr := good(t)
			lines, _, err := turn(t.Context(), tr, command)
			if err != nil {
				t.Fatal(err)
			}
			grandchild := processOf(t, lines[1])
			t.Cleanup(func() { _ = syscall.Kill(grandchild, syscall.SIGKILL) })
			begin := time.Now()
			if _, _, err := turn(t.Context(), tr, "die"); err == nil {
				t.Error("the plugin did not die")
			}
			if took := time.Since(begin); took > 3*time.Second {
				t.Errorf("its death was noticed after %s", took)
			}
			if command == "grandchild" {
				wantDead(t, grandchild, time.Second)
			}
			begin = time.Now()
			if err := h.Close(); err != nil {
				t.Error(err)
			}
			if took := time.Since(begin); took > 3*time.Second {
				t.Errorf("Close took %s", took)
			}
		})
	}
}

// Cancelling a turn ends it with the caller's error and leaves the plugin.
func TestCancelAndDeadline(t *testing.T) {
	t.Parallel()
	_, _, tr := good(t)
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	before, _, err := turn(ctx, tr, "hang")
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want the end of the context", err)
	}
	after, _, err := turn(t.Context(), tr, "")
	if err != nil || after[0] != before[0] {
		t.Errorf("got %v after %v, %v", after, before, err)
	}
}
