package loop_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/crucible-engine/crucible/core/decide"
	"github.com/crucible-engine/crucible/core/inject"
	"github.com/crucible-engine/crucible/core/judge"
	"github.com/crucible-engine/crucible/core/loop"
	"github.com/crucible-engine/crucible/core/wire"
	"github.com/crucible-engine/crucible/sdk/contract"
	"github.com/crucible-engine/crucible/sdk/transport"
	"github.com/crucible-engine/crucible/sdk/world"
	"github.com/google/go-cmp/cmp"
)

var errOut = contract.NewError(contract.KindUnavailable, "run turn", "", errors.New("no route"))

func same(t *testing.T, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestKeepAndDiscard(t *testing.T) {
	b := newBench(t, to(1), to(20), to(1), to(2))
	rep := b.mustEnd(t, loop.Finished)
	same(t, b.decisions(), []string{"0 baseline", "1 keep", "2 discard", "3 discard", "4 keep"})
	same(t, b.world.restored, []string{"t1", "t1"})
	same(t, b.world.labels, []string{"baseline", "iter 1: keep (bytes = 9)", "iter 4: keep (bytes = 8)"})
	same(t, b.prompts, []string{"best bytes = 10|", "best bytes = 9|", "best bytes = 9|", "best bytes = 9|"})
	if !rep.Improved || rep.Solved || *rep.Best.Score != 8 || *rep.Baseline.Score != 10 || rep.BestToken != "t2" {
		t.Errorf("report %+v", rep)
	}
	row := b.row(1)
	same(t, row, wire.RowData{
		Iter: 1, Decision: "keep", Note: "bytes = 9", Score: row.Score, Diff: "t0 to 1", Diffstat: "1 file changed", KeptSnap: "t1",
	})
	results, err := os.ReadFile(filepath.Join(b.cfg.Workspace, "RESULTS.md"))
	if err != nil || !strings.Contains(string(results), "win") || strings.Count(string(results), "\n") < 6 {
		t.Errorf("RESULTS.md: %v\n%s", err, results)
	}
}

func TestOrderOfEvents(t *testing.T) {
	b := newBench(t, to(1, transport.Output{Stream: transport.Stderr, Line: []byte("x")}, tokens(0.5)))
	b.cfg.Opening = []wire.Event{wire.Identity{}, wire.Plugins{}}
	b.steer = []string{"go left"}
	b.mustEnd(t, loop.Finished)
	same(t, b.kinds(), strings.Fields("start identity plugins phase row segment phase note agent_start agent budget agent agent_done budget row summary finished shutdown"))
	same(t, b.events[0], wire.Event(wire.Start{Goal: "win", Gate: "bytes", ItersTotal: 1}))
	same(t, b.prompts, []string{"best bytes = 10|go left"})
	score := 10.0
	same(t, b.events[5], wire.Event(wire.Segment{BaselineScore: &score, Regime: "default"}))
	same(t, b.events[len(b.events)-1], wire.Event(wire.Shutdown{Outcome: "finished", Reason: "all iterations are done"}))
}

func TestKnownValuesReachTheJudge(t *testing.T) {
	b := newBench(t, to(1), to(2))
	total := uint64(100)
	base := b.readings[0]
	base.Total = &total
	b.readings[0] = base
	b.mustEnd(t, loop.Finished)
	ten, nine := 10.0, 9.0
	same(t, b.known, []judge.Known{
		{},
		{BaselineScore: &ten, BaselineTotal: &total, BestScore: &ten},
		{BaselineScore: &ten, BaselineTotal: &total, BestScore: &nine},
	})
}

func TestSolvedEndsTheRun(t *testing.T) {
	solved := reading(10) // no better than the baseline
	solved.Solved = true
	for _, tc := range []struct {
		name  string
		early bool
		cost  float64
		want  loop.Ending
		rows  int
	}{
		{"at once", true, 0, loop.Solved, 2},
		{"even over budget", true, 0.5, loop.Solved, 2},
		{"not when told to go on", false, 0, loop.Finished, 3},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := newBench(t, to(5, tokens(1)), to(20))
			b.readings[5] = solved
			b.cfg.NoEarlyStop = !tc.early
			b.cfg.MaxCost = tc.cost
			rep := b.mustEnd(t, tc.want)
			if !rep.Solved || !rep.Improved || len(rep.Rows) != tc.rows {
				t.Errorf("report %+v", rep)
			}
		})
	}
}

func TestTiebreak(t *testing.T) {
	b := newBench(t, to(5), to(6), to(7))
	tied := func(tiebreak float64) decide.Reading {
		r := reading(10)
		r.Tiebreak = &tiebreak
		return r
	}
	b.readings[5], b.readings[6], b.readings[7] = tied(4), tied(4), tied(3)
	b.mustEnd(t, loop.Finished)
	same(t, b.decisions(), []string{"0 baseline", "1 keep", "2 discard", "3 keep"})
}

func TestCandidatesThatAreNotMeasured(t *testing.T) {
	failed := func(_ context.Context, w *fakeWorld, _ transport.Turn, _ func(transport.Event) error) (transport.Result, error) {
		w.state = 1
		return transport.Result{Outcome: transport.OutcomeFailed, ExitCode: 7, Note: "exit 7"}, nil
	}
	for _, tc := range []struct {
		name string
		play play
		prep func(*bench)
		note string
	}{
		{"the turn failed", failed, func(*bench) {}, "turn failed: exit 7"},
		{"the transport refused", broken(contract.NewError(contract.KindRefused, "run turn", "", errors.New("no"))),
			func(*bench) {}, "turn failed: run turn: no"},
		{"apply failed", to(1), func(b *bench) { b.world.apply = world.Applied{ExitCode: 3} }, "apply failed: exit 3"},
		{"frozen files", to(1), nil, "frozen files could not be put in place: in the way"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := newBench(t, tc.play)
			b.cfg.SkipBaseline = true
			if tc.prep == nil {
				b.frozen = map[int]error{2: errors.New("in the way")}
			} else {
				tc.prep(b)
			}
			rep := b.mustEnd(t, loop.Finished)
			same(t, b.decisions(), []string{"0 baseline-skipped", "1 discarded"})
			same(t, b.row(1), wire.RowData{Iter: 1, Decision: "discarded", Note: tc.note})
			same(t, b.world.restored, []string{"t0"})
			if len(b.known) != 0 || rep.Improved {
				t.Errorf("measured %d times, report %+v", len(b.known), rep)
			}
		})
	}
}

func TestDeadTurnsSpendNoIteration(t *testing.T) {
	b := newBench(t, broken(errOut), broken(errOut), to(1), broken(errOut), to(2))
	b.cfg.Iterations = 2
	b.steer = []string{"carry me"}
	b.mustEnd(t, loop.Finished)
	same(t, b.decisions(), []string{"0 baseline", "1 infra-dead", "1 infra-dead", "1 keep", "2 infra-dead", "2 keep"})
	same(t, b.world.restored, []string{"t0", "t0", "t1"})
	same(t, b.prompts[:4], []string{"best bytes = 10|carry me", "best bytes = 10|carry me", "best bytes = 10|carry me", "best bytes = 9|"})
}

func TestThreeDeadTurnsStall(t *testing.T) {
	b := newBench(t, broken(errOut), broken(errOut), broken(errOut))
	rep := b.mustEnd(t, loop.Stalled)
	if rep.Improved || !b.hasNote("3 turns in a row never started") {
		t.Errorf("report %+v, notes %v", rep, b.notes())
	}
	if b.row(3).Phase != "infra" || b.row(3).Note != "run turn: no route" {
		t.Errorf("row %+v", b.row(3))
	}
}

func TestDeadTurnsPauseLonger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, broken(errOut), broken(errOut), to(1))
		b.cfg.Iterations, b.cfg.DeadTurnPause = 1, 0
		begin := time.Now()
		b.mustEnd(t, loop.Finished)
		same(t, time.Since(begin), 3*time.Second)
	})
}

func TestWrongConfigurationEndsTheRun(t *testing.T) {
	b := newBench(t, broken(contract.NewError(contract.KindInvalid, "run turn", "command", errors.New("empty"))))
	_, err := b.run(t)
	if !errors.Is(err, contract.ErrInvalid) {
		t.Errorf("got %v", err)
	}
	same(t, b.events[len(b.events)-1], wire.Event(wire.Shutdown{Outcome: "error", Reason: "run turn: run turn command: empty"}))
	same(t, b.world.restored, []string{"t0"})
}

func TestBudget(t *testing.T) {
	t.Run("crossed between turns", func(t *testing.T) {
		b := newBench(t, to(1, tokens(0.4)), to(2, tokens(0.7)), to(3))
		b.cfg.MaxCost = 1
		rep := b.mustEnd(t, loop.Budget)
		same(t, b.decisions(), []string{"0 baseline", "1 keep", "2 keep"})
		if rep.Spent != 1.1 || rep.Reason != "cost limit reached: 1.10 of 1.00 USD" || !rep.Improved {
			t.Errorf("report %+v", rep)
		}
	})
	t.Run("a turn that crosses is stopped and judged", func(t *testing.T) {
		expensive := func(ctx context.Context, w *fakeWorld, turn transport.Turn, emit func(transport.Event) error) (transport.Result, error) {
			if err := emit(tokens(2)); err != nil {
				return transport.Result{}, err
			}
			return hang(1)(ctx, w, turn, emit)
		}
		b := newBench(t, expensive, to(2))
		b.cfg.MaxCost = 1
		b.mustEnd(t, loop.Budget)
		same(t, b.decisions(), []string{"0 baseline", "1 keep"})
		if !b.hasNote("cost limit reached during the turn; stopping it") {
			t.Errorf("notes %v", b.notes())
		}
	})
}

func TestMaxTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, to(1), hang(2), to(3))
		b.cfg.MaxTime = time.Hour
		begin := time.Now()
		rep := b.mustEnd(t, loop.Budget)
		same(t, time.Since(begin), time.Hour)
		same(t, b.decisions(), []string{"0 baseline", "1 keep", "2 keep"})
		same(t, rep.Reason, "time limit of 1h0m0s reached")
	})
}

func TestStop(t *testing.T) {
	for _, tc := range []struct {
		name string
		at   play
	}{
		{"during a turn", hang(1)},
		{"during a turn that ends well all the same", to(1)},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t)
				b.plays = []play{func(ctx context.Context, w *fakeWorld, turn transport.Turn, emit func(transport.Event) error) (transport.Result, error) {
					close(b.stop)
					<-ctx.Done()
					return tc.at(ctx, w, turn, emit)
				}}
				b.cfg.Iterations = 5
				b.mustEnd(t, loop.Stopped)
				same(t, b.world.restored, []string{"t0"})
				same(t, b.kinds()[len(b.events)-3:], []string{"summary", "finished", "shutdown"})
				same(t, b.decisions(), []string{"0 baseline"})
			})
		})
	}
}

func TestEscalation(t *testing.T) {
	escalate := func(text string, outcome transport.Outcome) func(*bench) play {
		return func(b *bench) play {
			return func(_ context.Context, w *fakeWorld, _ transport.Turn, _ func(transport.Event) error) (transport.Result, error) {
				w.state = 1
				err := os.WriteFile(filepath.Join(b.cfg.Workspace, "ESCALATION.json"), []byte(text), 0o600)
				return transport.Result{Outcome: outcome}, err
			}
		}
	}
	for _, tc := range []struct {
		name, text string
		outcome    transport.Outcome
		want       loop.Ending
		rows       []string
	}{
		{"well formed", `{"category":"needs-info","reason":"no data","evidence":"ls"}`, transport.OutcomeCompleted, loop.Escalated, []string{"0 baseline"}},
		{"after a failed turn", `{"reason":"no data"}`, transport.OutcomeFailed, loop.Escalated, []string{"0 baseline"}},
		{"malformed", `{"reason":""}`, transport.OutcomeCompleted, loop.Finished, []string{"0 baseline", "1 keep"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := newBench(t)
			b.plays = []play{escalate(tc.text, tc.outcome)(b)}
			b.cfg.Iterations = 1
			b.mustEnd(t, tc.want)
			same(t, b.decisions(), tc.rows)
			if tc.want == loop.Escalated {
				same(t, b.world.restored, []string{"t0"})
			} else if len(b.notes()) != 1 || !strings.Contains(b.notes()[0], "has no reason") {
				t.Errorf("notes %q", b.notes())
			}
		})
	}
}

func TestSnapshotThatFailsIsADiscard(t *testing.T) {
	b := newBench(t, to(1), to(2))
	b.world.snapFault = map[int]error{2: errors.New("disk full")}
	b.mustEnd(t, loop.Finished)
	same(t, b.decisions(), []string{"0 baseline", "1 discard", "2 keep"})
	same(t, b.world.restored, []string{"t0"})
	if row := b.row(1); row.Note != "snapshot failed, candidate discarded: disk full" || row.KeptSnap != "" {
		t.Errorf("row %+v", row)
	}
}

func TestFaultsEndTheRun(t *testing.T) {
	full := errors.New("no space left on device")
	for _, tc := range []struct {
		name string
		prep func(*bench)
		text string
	}{
		{"invalid baseline", func(b *bench) { delete(b.readings, 0) }, "the baseline is invalid"},
		{"no baseline snapshot", func(b *bench) { b.world.snapFault = map[int]error{1: full} }, "snapshot the baseline"},
		{"restore", func(b *bench) { b.world.restFault = full; b.plays = []play{to(20)} }, "restore the best state"},
		{"the log", func(b *bench) { b.recFault = map[string]error{"row": full} }, "no space left"},
		{"the log in a turn", func(b *bench) { b.recFault = map[string]error{"agent": full} }, "no space left"},
		{"a source that changed", func(b *bench) {
			b.cfg.SkipBaseline = true
			b.frozen = map[int]error{2: fmt.Errorf("a: %w", inject.ErrSourceChanged)}
		}, "put frozen files in place"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := newBench(t, to(1, tokens(0)))
			tc.prep(b)
			rep, err := b.run(t)
			if err == nil || !strings.Contains(err.Error(), tc.text) || rep.Ending != loop.Failed {
				t.Fatalf("ending %q, error %v", rep.Ending, err)
			}
			last := b.events[len(b.events)-1]
			if s, ok := last.(wire.Shutdown); !ok || s.Outcome != "error" || !strings.Contains(s.Reason, tc.text) {
				t.Errorf("last line %+v", last)
			}
			for _, kind := range b.kinds() {
				if kind == "summary" || kind == "finished" {
					t.Errorf("%s was written", kind)
				}
			}
		})
	}
}

func TestCandidateWriteUp(t *testing.T) {
	b := newBench(t)
	b.plays = []play{func(_ context.Context, w *fakeWorld, _ transport.Turn, _ func(transport.Event) error) (transport.Result, error) {
		w.state = 1
		err := os.WriteFile(filepath.Join(b.cfg.Workspace, "CANDIDATE.md"), []byte("# Inline\n\nthe hot path"), 0o600)
		return transport.Result{Outcome: transport.OutcomeCompleted}, err
	}}
	b.cfg.Iterations = 1
	b.mustEnd(t, loop.Finished)
	if row := b.row(1); row.Note != "# Inline the hot path" || row.CandidateMD != "# Inline\n\nthe hot path" {
		t.Errorf("row %+v", row)
	}
}

func TestWhyACandidateIsInvalidIsNeverHidden(t *testing.T) {
	b := newBench(t)
	b.plays = []play{func(_ context.Context, w *fakeWorld, _ transport.Turn, _ func(transport.Event) error) (transport.Result, error) {
		w.state = 99 // no reading: invalid
		err := os.WriteFile(filepath.Join(b.cfg.Workspace, "CANDIDATE.md"), []byte("my great idea"), 0o600)
		return transport.Result{Outcome: transport.OutcomeCompleted}, err
	}}
	b.cfg.Iterations = 1
	b.mustEnd(t, loop.Finished)
	same(t, b.row(1).Note, "invalid | my great idea")
}

func TestKeptByTheTiebreakIsAnImprovement(t *testing.T) {
	b := newBench(t, to(5))
	tie := 1.0
	r := reading(10)
	r.Tiebreak = &tie
	b.readings[5] = r
	if rep := b.mustEnd(t, loop.Finished); !rep.Improved {
		t.Errorf("report %+v", rep)
	}
}

func TestACandidateThatCannotBeCapturedIsDiscarded(t *testing.T) {
	b := newBench(t, to(1))
	b.world.diffFault = errors.New("unable to stat '.m'")
	b.mustEnd(t, loop.Finished)
	same(t, b.decisions(), []string{"0 baseline", "1 discarded"})
	same(t, b.world.restored, []string{"t0"})
	same(t, b.row(1).Note, "the candidate could not be captured: unable to stat '.m'")
}

func TestAWorkspaceWithoutResultsGoesOn(t *testing.T) {
	b := newBench(t)
	b.plays = []play{func(_ context.Context, w *fakeWorld, _ transport.Turn, _ func(transport.Event) error) (transport.Result, error) {
		w.state = 1
		return transport.Result{Outcome: transport.OutcomeCompleted}, os.RemoveAll(b.cfg.Workspace)
	}}
	b.cfg.Iterations = 1
	b.mustEnd(t, loop.Finished)
	same(t, b.decisions(), []string{"0 baseline", "1 keep"})
	if notes := strings.Join(b.notes(), "\n"); !strings.Contains(notes, "could not write RESULTS.md") {
		t.Errorf("notes %q", notes)
	}
}

func TestNoIterations(t *testing.T) {
	b := newBench(t)
	rep := b.mustEnd(t, loop.Finished)
	same(t, b.decisions(), []string{"0 baseline"})
	if rep.Improved {
		t.Error("improved without a candidate")
	}
}

func TestSecretsAreMaskedBeforeAnythingIsCutOrWritten(t *testing.T) {
	b := newBench(t)
	secret := strings.Repeat("s", 40)
	b.cfg.Mask = func(text string) string { return strings.ReplaceAll(text, secret, "[masked]") }
	b.cfg.Goal = "win with " + secret
	b.plays = []play{func(_ context.Context, w *fakeWorld, _ transport.Turn, _ func(transport.Event) error) (transport.Result, error) {
		w.state = 1
		// Half of the secret would be left of the cut at 120 characters.
		text := strings.Repeat("x", 100) + " " + secret
		err := os.WriteFile(filepath.Join(b.cfg.Workspace, "CANDIDATE.md"), []byte(text), 0o600)
		return transport.Result{Outcome: transport.OutcomeCompleted}, err
	}}
	b.cfg.Iterations = 1
	b.mustEnd(t, loop.Finished)
	same(t, b.row(1).Note, strings.Repeat("x", 100)+" [masked]")
	results, err := os.ReadFile(filepath.Join(b.cfg.Workspace, "RESULTS.md"))
	if err != nil || strings.Contains(string(results), "ss") || !strings.Contains(string(results), "masked") {
		t.Errorf("%v\n%s", err, results)
	}
}
