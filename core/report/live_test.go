package report

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/crucible-engine/crucible/core/wire"
)

// screen is a terminal that counts writes and can stop taking them.
type screen struct {
	mu     sync.Mutex
	buf    bytes.Buffer
	writes int
	gate   chan struct{} // nil: takes everything
}

func (s *screen) Write(p []byte) (int, error) {
	if s.gate != nil {
		<-s.gate
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writes++
	return s.buf.Write(p)
}

// count is the number of writes since the last count.
func (s *screen) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.writes
	s.writes = 0
	return n
}

// lines plays what was written on a line-oriented terminal: what stays on the
// finished lines, and what is on the last one.
func (s *screen) lines() (done []string, last string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, part := range strings.Split(s.buf.String(), "\n") {
		if at := strings.LastIndex(part, "\r\x1b[K"); at >= 0 {
			part = part[at+len("\r\x1b[K"):]
		}
		if i > 0 {
			done = append(done, last)
		}
		last = part
	}
	return done, last
}

// watch starts a live display that is 60 columns wide.
func watch(s *screen, out io.Writer, env ...string) *live {
	return makeLive(Options{Stdout: out, Stderr: s, Getenv: func(name string) string {
		for _, e := range env {
			if value, found := strings.CutPrefix(e, name+"="); found {
				return value
			}
		}
		return ""
	}}, func() int { return 60 })
}

func num(x float64) *float64 { return &x }

func TestLive(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var s screen
		var out bytes.Buffer
		l := watch(&s, &out, "NO_COLOR=1")
		now := func(want string) {
			t.Helper()
			time.Sleep(redraw)
			synctest.Wait()
			if _, got := s.lines(); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		}
		l.Event(wire.Start{Goal: "g", Gate: "bytes", ItersTotal: 3})
		now("starting  00:00")
		l.Event(wire.Phase{Phase: wire.PhaseBaseline})
		now("baseline  00:00  measuring")
		time.Sleep(65 * time.Second)
		now("baseline  01:05  measuring")
		l.Event(wire.Row{Row: wire.RowData{Decision: wire.DecisionBaseline, Score: num(50)}})
		l.Event(wire.Phase{Phase: wire.PhaseIteration, Iter: 1})
		now("iteration 1/3  00:00  best 50")
		l.Event(wire.AgentStart{Iter: 1})
		now("iteration 1/3  00:00  best 50  agent at work")
		l.Event(wire.Agent{Event: wire.Raw{Text: "\x1b[2Jbuilding " + strings.Repeat("大", 100)}})
		now(`iteration 1/3  00:00  best 50  \x1b[2Jbuilding 大大大大大大`)
		l.Event(wire.Budget{Spent: 0.42})
		l.Event(wire.AgentDone{})
		l.Event(wire.Row{Row: wire.RowData{Iter: 1, Decision: wire.DecisionKeep, Score: num(41.5), Note: "inline"}})
		now("iteration 1/3  00:00  best 41.5  from 50  $0.42")
		l.Event(wire.Shutdown{Outcome: wire.OutcomeFinished, Reason: "all iterations ran"})
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		done, last := s.lines()
		want := []string{"goal  g", "run   objective bytes, 3 iterations", "iter 0  baseline  score 50",
			"iter 1  keep  score 41.5  best 41.5  inline", "end   finished: all iterations ran"}
		if diff := cmp.Diff(want, done); diff != "" || last != "" {
			t.Errorf("%s, last %q", diff, last)
		}
		if !strings.HasSuffix(out.String(), "\nscore: 50 -> 41.5 (-17.0%)\n") {
			t.Errorf("got %s", out.String())
		}
	})
}

// TestLiveIsNotDrawnTooOften: a flood of events costs ten writes a second, and an
// idle hour one a second.
func TestLiveIsNotDrawnTooOften(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var s screen
		l := watch(&s, io.Discard)
		for i := range 10_000 {
			l.Event(wire.Agent{Event: wire.Raw{Text: fmt.Sprint(i)}})
			time.Sleep(100 * time.Microsecond)
		}
		synctest.Wait()
		if n := s.count(); n > 11 {
			t.Errorf("%d writes in a second", n)
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		if n := s.count(); n > 3601 {
			t.Errorf("%d writes in an hour", n)
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
}

// TestStoppedTerminal: a terminal that takes nothing does not stop the run, and
// what it could not take does not pile up.
func TestStoppedTerminal(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := screen{gate: make(chan struct{})}
		l := watch(&s, io.Discard)
		l.Event(wire.Note{Msg: "first"})
		time.Sleep(2 * redraw)
		synctest.Wait()
		for i := range 3000 {
			l.Event(wire.Note{Msg: fmt.Sprint(i)})
		}
		if !l.waiting() || len(l.pending) != maxPending {
			t.Errorf("%d lines wait", len(l.pending))
		}
		close(s.gate)
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		done, _ := s.lines()
		if len(done) != maxPending+2 || done[1] != "(2000 lines left out)" || done[len(done)-1] != "note  2999" {
			t.Errorf("%d lines, %q", len(done), done[:2])
		}
	})
}

func TestLiveColours(t *testing.T) {
	t.Parallel()
	for env, want := range map[string]string{"NO_COLOR=": "\x1b[32miter 1  keep\x1b[0m\n", "NO_COLOR=1": "iter 1  keep\n"} {
		synctest.Test(t, func(t *testing.T) {
			var s screen
			l := watch(&s, io.Discard, env)
			l.Event(wire.Row{Row: wire.RowData{Iter: 1, Decision: wire.DecisionKeep}})
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
			if got := s.buf.String(); got != want {
				t.Errorf("%s: got %q", env, got)
			}
		})
	}
}

// TestLiveWithoutEvents: making a display that is not used starts and writes
// nothing.
func TestLiveWithoutEvents(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var s screen
		l := watch(&s, io.Discard)
		time.Sleep(time.Second)
		if err, n := l.Close(), s.count(); err != nil || n > 0 {
			t.Errorf("%d writes, %v", n, err)
		}
	})
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestLiveBroken(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := makeLive(Options{Stdout: io.Discard, Stderr: failing{}, Getenv: func(string) string { return "" }}, func() int { return 60 })
		l.Event(wire.Note{Msg: "m"})
		time.Sleep(time.Second)
		if err := l.Close(); !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("got %v", err)
		}
	})
}

// TestLiveLog: log lines of other goroutines stand above the live line, whole
// and harmless.
func TestLiveLog(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var s screen
		l := watch(&s, io.Discard, "NO_COLOR=1")
		log := l.Log()
		for _, part := range []string{"[WARN] plugin", " is not trusted\nnext\x1b[2J line\nunfinis"} {
			if n, err := io.WriteString(log, part); err != nil || n != len(part) {
				t.Error(n, err)
			}
		}
		l.Event(wire.Phase{Phase: wire.PhaseBaseline})
		time.Sleep(2 * redraw)
		synctest.Wait()
		done, last := s.lines()
		want := []string{"[WARN] plugin is not trusted", `next\x1b[2J line`}
		if diff := cmp.Diff(want, done); diff != "" || !strings.HasPrefix(last, "baseline") {
			t.Errorf("%s, last %q", diff, last)
		}
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() { fmt.Fprintln(log, "hed") })
		}
		wg.Wait()
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(log, "after the end\n")
		done, _ = s.lines()
		want = append(want, "unfinished", "hed", "hed", "hed", "after the end")
		if diff := cmp.Diff(want, done); diff != "" {
			t.Error(diff)
		}
	})
}
