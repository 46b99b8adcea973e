package loop_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/crucible-engine/crucible/core/decide"
	"github.com/crucible-engine/crucible/core/judge"
	"github.com/crucible-engine/crucible/core/loop"
	"github.com/crucible-engine/crucible/core/wire"
	"github.com/crucible-engine/crucible/sdk/transport"
	"github.com/crucible-engine/crucible/sdk/world"
)

// fakeWorld is a workspace whose state is one number, set by the agent.
type fakeWorld struct {
	state     int
	restored  []string
	labels    []string
	apply     world.Applied
	snapFault map[int]error // by number of the call, from 1
	restFault error
	diffFault error
}

func (w *fakeWorld) Snapshot(_ context.Context, req world.SnapshotRequest) (world.Snapshot, error) {
	w.labels = append(w.labels, req.Label)
	if err := w.snapFault[len(w.labels)]; err != nil {
		return world.Snapshot{}, err
	}
	return world.Snapshot{Token: fmt.Sprint("t", w.state), Commit: fmt.Sprint("c", w.state)}, nil
}

func (w *fakeWorld) Restore(_ context.Context, token string) (string, error) {
	if w.restFault != nil {
		return "", w.restFault
	}
	w.restored = append(w.restored, token)
	_, err := fmt.Sscanf(token, "t%d", &w.state)
	return "c", err
}

func (w *fakeWorld) Apply(context.Context, func(world.LogLine)) (world.Applied, error) {
	return w.apply, nil
}

func (w *fakeWorld) Diff(_ context.Context, from string, _ int64, out *bytes.Buffer) (world.Diffed, error) {
	if w.diffFault != nil {
		return world.Diffed{}, w.diffFault
	}
	fmt.Fprintf(out, "%s to %d", from, w.state)
	return world.Diffed{Shortstat: "1 file changed"}, nil
}

// play is what the agent does in one turn.
type play func(ctx context.Context, w *fakeWorld, turn transport.Turn, emit func(transport.Event) error) (transport.Result, error)

// to is a turn that sets the state and succeeds.
func to(state int, events ...transport.Event) play {
	return func(_ context.Context, w *fakeWorld, _ transport.Turn, emit func(transport.Event) error) (transport.Result, error) {
		w.state = state
		for _, e := range events {
			if err := emit(e); err != nil {
				return transport.Result{}, err
			}
		}
		return transport.Result{Outcome: transport.OutcomeCompleted}, nil
	}
}

// broken is a turn that fails in the transport after it changed the state.
func broken(err error) play {
	return func(_ context.Context, w *fakeWorld, _ transport.Turn, _ func(transport.Event) error) (transport.Result, error) {
		w.state = -1
		return transport.Result{}, err
	}
}

// hang is a turn that ends only when it is stopped.
func hang(state int) play {
	return func(ctx context.Context, w *fakeWorld, _ transport.Turn, _ func(transport.Event) error) (transport.Result, error) {
		w.state = state
		<-ctx.Done()
		return transport.Result{}, ctx.Err()
	}
}

func tokens(usd float64) transport.Event {
	return transport.Activity{Kind: "tokens", JSON: json.RawMessage(fmt.Sprintf(`{"cost_usd":%g}`, usd))}
}

// bench is a run over fakes.
type bench struct {
	world   fakeWorld
	plays   []play
	prompts []string
	// readings are by state of the world; one that is missing is invalid.
	readings map[int]decide.Reading
	known    []judge.Known
	// frozen is by number of the call, from 1.
	frozen      map[int]error
	frozenCalls int
	steer       []string
	events      []wire.Event
	recFault    map[string]error // by kind
	stop        chan struct{}
	cfg         loop.Config
}

func newBench(t *testing.T, plays ...play) *bench {
	return &bench{
		world: fakeWorld{apply: world.Applied{OK: true}}, plays: plays, stop: make(chan struct{}),
		readings: map[int]decide.Reading{
			0: reading(10), 1: reading(9), 2: reading(8), 3: reading(7), 20: reading(20),
		},
		cfg: loop.Config{
			RunID: "r", Workspace: t.TempDir(), Goal: "win\n", Objective: "bytes", Template: "{{STATUS}}|{{STEER}}",
			Rule: decide.Rule{Direction: decide.Lower}, Iterations: len(plays), Started: time.Now(),
			DeadTurnPause: time.Nanosecond,
		},
	}
}

func reading(score float64) decide.Reading {
	return decide.Reading{Valid: true, Score: &score, Note: fmt.Sprint("bytes = ", score)}
}

func (b *bench) RunTurn(ctx context.Context, turn transport.Turn, emit func(transport.Event) error) (transport.Result, error) {
	if len(b.plays) == 0 {
		return transport.Result{}, errors.New("no more turns planned")
	}
	p := b.plays[0]
	b.plays = b.plays[1:]
	b.prompts = append(b.prompts, turn.Prompt)
	return p(ctx, &b.world, turn, emit)
}

func (b *bench) Measure(ctx context.Context, known judge.Known) (decide.Reading, error) {
	b.known = append(b.known, known)
	if r, ok := b.readings[b.world.state]; ok {
		return r, ctx.Err()
	}
	return decide.Reading{Note: "invalid"}, ctx.Err()
}

func (b *bench) ApplyFrozen(context.Context, string) error {
	b.frozenCalls++
	return b.frozen[b.frozenCalls]
}

func (b *bench) Drain() (string, error) {
	if len(b.steer) == 0 {
		return "", nil
	}
	s := b.steer[0]
	b.steer = b.steer[1:]
	return s, nil
}

func (b *bench) Record(e wire.Event) error {
	if err := b.recFault[e.Kind()]; err != nil {
		return err
	}
	b.events = append(b.events, e)
	return nil
}

func (b *bench) run(t *testing.T) (loop.Report, error) {
	return loop.Run(t.Context(), b.cfg, loop.Deps{
		World: &b.world, Agent: b, Judge: b, Injects: b, Recorder: b, Steering: b, Stop: b.stop,
	})
}

// mustEnd runs and wants this ending.
func (b *bench) mustEnd(t *testing.T, want loop.Ending) loop.Report {
	t.Helper()
	rep, err := b.run(t)
	if err != nil && want != loop.Failed {
		t.Fatal(err)
	}
	if rep.Ending != want {
		t.Fatalf("ending %q (%s), want %q", rep.Ending, rep.Reason, want)
	}
	return rep
}

// decisions are the rows in short: "1 keep".
func (b *bench) decisions() []string {
	var out []string
	for _, e := range b.events {
		if row, ok := e.(wire.Row); ok {
			out = append(out, fmt.Sprint(row.Row.Iter, " ", row.Row.Decision))
		}
	}
	return out
}

func (b *bench) kinds() []string {
	var out []string
	for _, e := range b.events {
		out = append(out, e.Kind())
	}
	return out
}

func (b *bench) row(i int) wire.RowData {
	var rows []wire.RowData
	for _, e := range b.events {
		if row, ok := e.(wire.Row); ok {
			rows = append(rows, row.Row)
		}
	}
	return rows[i]
}

func (b *bench) notes() []string {
	var out []string
	for _, e := range b.events {
		if n, ok := e.(wire.Note); ok {
			out = append(out, n.Msg)
		}
	}
	return out
}

func (b *bench) hasNote(text string) bool { return slices.Contains(b.notes(), text) }
