package report_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crucible-engine/crucible/core/report"
	"github.com/crucible-engine/crucible/core/wire"
)

// events are a whole run.
func events() []wire.Event {
	table := rows()
	row := func(i int, solved bool) wire.Event { return wire.Row{Row: table[i], Solved: solved} }
	return []wire.Event{
		wire.Start{Goal: "Shrink\nthe binary", Gate: "bytes", ItersTotal: 4, MaxCost: 2.5, MaxSecs: 5400},
		wire.Identity{Identity: wire.IdentityData{Direction: "lower"}},
		wire.Plugins{Plugins: []wire.Plugin{{PluginKind: "world", Name: "git", Version: "0.2.0", Contract: "0.2.0"}}},
		wire.Plugins{Plugins: []wire.Plugin{{PluginKind: "world", Name: "git"}, {PluginKind: "transport", Name: "command", Version: "1", Contract: "0.2.0"}}},
		wire.Phase{Phase: wire.PhaseBaseline},
		row(0, false),
		wire.Segment{Fingerprint: "f", Regime: wire.RegimeDefault},
		wire.Phase{Phase: wire.PhaseIteration, Iter: 1},
		wire.AgentStart{Iter: 1},
		wire.Budget{Spent: 0.1, ElapsedSecs: 3},
		wire.Agent{Event: wire.Tokens{Input: 1}},
		wire.Agent{Event: wire.Raw{Text: "\x1b[2Jbuilding", Stream: wire.Stdout}},
		wire.Agent{Event: wire.Retry{Attempt: 1, Max: 3, Error: "overloaded"}},
		wire.Agent{Event: wire.Error{ErrorType: "api", Message: "bad \x07key"}},
		wire.Agent{Event: wire.Result{IsError: true, Error: "gave up"}},
		wire.AgentDone{},
		wire.Budget{Spent: 0.42, ElapsedSecs: 3725},
		row(1, false),
		wire.Note{Msg: "injected operator steer\n\x1b[31m"},
		wire.Phase{Phase: wire.PhaseIteration, Iter: 2},
		wire.Budget{Spent: 0.42, ElapsedSecs: 3726},
		row(3, false),
		row(5, true),
		wire.Escalation{Category: "infeasible", Reason: "no device"},
		wire.Phase{Phase: wire.PhaseFinished, Iter: 4},
		wire.Summary{}, wire.Finished{},
		wire.Shutdown{Outcome: wire.OutcomeSolved, Reason: "win condition met"},
		wire.Unknown{Name: "x", Line: []byte(`{"kind":"x"}`)},
	}
}

func noEnv(string) string { return "" }

func TestHeadless(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{report.ModeHeadless, report.ModeAuto} { // a buffer is no terminal
		var out, log bytes.Buffer
		r, err := report.New(mode, report.Options{Stdout: &out, Stderr: &log, Getenv: noEnv})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events() {
			r.Event(e)
		}
		if out.Len() > 0 {
			t.Errorf("stdout has %q before the end", out.String())
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		golden(t, "headless.txt", log.String()+"--- stdout\n"+out.String())
	}
}

func TestLines(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{report.ModeJSONL, report.ModeStream} {
		var out, log bytes.Buffer
		r, err := report.New(mode, report.Options{Stdout: &out, Stderr: &log, Getenv: noEnv})
		if err != nil {
			t.Fatal(err)
		}
		var want strings.Builder
		for _, e := range events() {
			r.Event(e)
			line, err := wire.Encode(e)
			if err != nil {
				t.Fatal(err)
			}
			want.Write(append(line, '\n'))
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want.String(), out.String()); diff != "" || log.Len() > 0 {
			t.Errorf("%s: %s%s", mode, diff, log.String())
		}
	}
}

func TestUnknownMode(t *testing.T) {
	t.Parallel()
	if _, err := report.New("tui", report.Options{}); !errors.Is(err, report.ErrMode) || !strings.Contains(err.Error(), `"tui"`) {
		t.Errorf("got %v", err)
	}
}

// broken takes some writes and fails after that.
type broken struct {
	writes int
	err    error
	io.Writer
}

func (b *broken) Write(p []byte) (int, error) {
	b.writes++
	if b.writes > 2 {
		return 0, b.err
	}
	return b.Writer.Write(p)
}

// TestBrokenOutput: the run goes on when its output cannot be written, and nothing
// is written after the first failure. A reader that went away is no fault.
func TestBrokenOutput(t *testing.T) {
	t.Parallel()
	full := errors.New("full")
	for mode, cause := range map[string]error{report.ModeHeadless: full, report.ModeJSONL: full, report.ModeStream: syscall.EPIPE} {
		var got bytes.Buffer
		b := &broken{Writer: &got, err: cause}
		o := report.Options{Stdout: b, Stderr: io.Discard, Getenv: noEnv}
		if mode == report.ModeHeadless {
			o.Stdout, o.Stderr = o.Stderr, o.Stdout
		}
		r, err := report.New(mode, o)
		if err != nil {
			t.Fatal(err)
		}
		for range 10 {
			r.Event(wire.Note{Msg: "m"})
		}
		if err := r.Close(); cause == full && !errors.Is(err, full) || cause != full && err != nil {
			t.Errorf("%s: got %v", mode, err)
		}
		if b.writes != 3 || strings.Count(got.String(), "\n") != 2 {
			t.Errorf("%s: %d writes, %q", mode, b.writes, got.String())
		}
	}
}

// stuck is a pipe that nobody reads.
type stuck struct{ release chan struct{} }

func (s stuck) Write(p []byte) (int, error) {
	<-s.release
	return len(p), nil
}

// TestStuckOutput: a reader that does not read holds nobody up, not even at the
// end.
func TestStuckOutput(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{report.ModeHeadless, report.ModeJSONL} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			s := stuck{make(chan struct{})}
			defer close(s.release)
			o := report.Options{Stdout: s, Stderr: io.Discard, Getenv: noEnv}
			if mode == report.ModeHeadless {
				o.Stdout, o.Stderr = o.Stderr, o.Stdout
			}
			r, err := report.New(mode, o)
			if err != nil {
				t.Fatal(err)
			}
			for range 100 {
				r.Event(wire.Note{Msg: strings.Repeat("m", 1<<20)})
			}
			if err := r.Close(); err != nil {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestNoEventsNoResult(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	r, err := report.New(report.ModeHeadless, report.Options{Stdout: &out, Stderr: &out, Getenv: noEnv})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil || out.Len() > 0 {
		t.Errorf("got %q, %v", out.String(), err)
	}
}
