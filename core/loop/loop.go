// Package loop is the scored loop: an agent proposes a change, the judge
// measures it, the rule keeps or discards it (C-DECIDE), again and again until
// something ends the run.
//
// The package knows the outside only through small interfaces and makes no
// process, file or connection of its own but the markers in the workspace. It
// calls the world's snapshot and restore and never looks into a token (C-WORLD).
package loop

import (
	"bytes"
	"context"
	"time"

	"github.com/crucible-engine/crucible/core/build"
	"github.com/crucible-engine/crucible/core/decide"
	"github.com/crucible-engine/crucible/core/judge"
	"github.com/crucible-engine/crucible/core/wire"
	"github.com/crucible-engine/crucible/sdk/transport"
	"github.com/crucible-engine/crucible/sdk/world"
)

// World is the part of a world that the loop uses; its methods are those of
// sdk/world, bound to one workspace.
type World interface {
	Snapshot(ctx context.Context, req world.SnapshotRequest) (world.Snapshot, error)
	Restore(ctx context.Context, token string) (commit string, err error)
	Apply(ctx context.Context, log func(world.LogLine)) (world.Applied, error)
	// Diff appends a patch of at most max bytes to out.
	Diff(ctx context.Context, fromToken string, max int64, out *bytes.Buffer) (world.Diffed, error)
}

// Agent runs turns; transport.Transport has more.
type Agent interface {
	RunTurn(ctx context.Context, turn transport.Turn, emit func(transport.Event) error) (transport.Result, error)
}

// Judge measures the workspace. An error means that nothing could be measured
// at all; a candidate that measures badly is an invalid reading.
type Judge interface {
	Measure(ctx context.Context, known judge.Known) (decide.Reading, error)
}

// Builder builds what is measured. An error means that nothing could be built at
// all; a candidate that does not build is an outcome.
type Builder interface {
	Build(ctx context.Context) (build.Outcome, error)
}

// Injects puts the frozen files back before every measurement (C-MANIFEST).
type Injects interface {
	ApplyFrozen(ctx context.Context, workspace string) error
}

// Recorder writes the session log. An event that cannot be recorded ends the
// run: what is not on record did not happen.
type Recorder interface {
	Record(wire.Event) error
}

// Steering yields what the operator wrote since the last call.
type Steering interface {
	Drain() (string, error)
}

// Deps are the loop's ways out.
type Deps struct {
	World World
	Agent Agent
	// Judge is nil in the task lane: whatever a turn that did not fail leaves is
	// kept, without a score (C-MANIFEST).
	Judge   Judge
	Injects Injects
	// Builder makes what is measured out of what was edited; nil when nothing has
	// to be made (C-BUILD-MODE).
	Builder  Builder
	Recorder Recorder
	Steering Steering
	// Stop is closed when the operator wants the run to end in order: the turn
	// or measurement under way is stopped, the best state restored.
	Stop <-chan struct{}
}

// Config is what one run does.
type Config struct {
	// RunID identifies the run towards plugins.
	RunID string
	// Workspace is an absolute path.
	Workspace string
	// Goal is as the author wrote it.
	Goal string
	// Objective labels the score.
	Objective string
	// Template is the method prompt.
	Template string
	Rule     decide.Rule
	// SkipBaseline leaves out the first measurement; the first valid candidate
	// is kept.
	SkipBaseline bool
	// Iterations is the number of candidates at most.
	Iterations int
	// MaxCost is in US dollars, 0 for none. MaxTime counts from Started, 0 for none.
	MaxCost float64
	MaxTime time.Duration
	Started time.Time
	// NoEarlyStop goes on after a solved candidate.
	NoEarlyStop bool
	// Turn is the request that every turn is made from; TurnID and Prompt are
	// filled in by the loop.
	Turn transport.Turn
	// Opening events are recorded after start and before the baseline: identity,
	// plugins, notes.
	Opening []wire.Event
	// Fingerprint names the segment of comparable scores.
	Fingerprint string
	// Mask takes the values of secrets out of a text whose end may have been cut
	// off; nil changes nothing. It is applied before the loop cuts a text and
	// before anything is written for the agent to read; the recorder masks as well.
	Mask func(string) string
	// Sessions: the agent's turns can be resumed, so that a candidate that does not
	// build goes back to the same conversation.
	Sessions bool
	// ToolIO records the input and result of the agent's tools.
	ToolIO bool
	// DeadTurnPause is the pause after the first turn in a row that never
	// started; it doubles with each further one. 0 means one second.
	DeadTurnPause time.Duration
}

// Ending says how a run stopped; the values are the shutdown outcomes of C-WIRE.
type Ending string

// The endings of a loop.
const (
	Finished  Ending = wire.OutcomeFinished
	Solved    Ending = wire.OutcomeSolved
	Budget    Ending = wire.OutcomeBudget
	Stopped   Ending = wire.OutcomeStopped
	Escalated Ending = wire.OutcomeEscalated
	Stalled   Ending = wire.OutcomeStalled
	Failed    Ending = wire.OutcomeError
)

// Report is what became of a run.
type Report struct {
	Ending Ending
	Reason string
	// Improved: something was kept that is strictly better than the baseline, by
	// score or tiebreak, or solved.
	Improved bool
	Solved   bool
	Rows     []wire.RowData
	Baseline decide.Best
	Best     decide.Best
	// BestToken brings the best state back.
	BestToken string
	// Spent is in US dollars.
	Spent float64
}

// Run runs the loop to its end and writes everything there is to say about it,
// the shutdown line included, to the recorder. The error is the cause of an
// Ending of Failed. When ctx ends, everything stops at once and nothing is
// restored; Deps.Stop is the orderly way.
func Run(ctx context.Context, cfg Config, deps Deps) (Report, error) {
	soft, cancel := context.WithCancel(ctx)
	defer cancel()
	watching := make(chan struct{})
	go func() {
		defer close(watching)
		select {
		case <-deps.Stop:
			cancel()
		case <-soft.Done():
		}
	}()
	r := &run{cfg: cfg, deps: deps, soft: soft}
	err := r.loop(ctx)
	cancel()
	<-watching
	return r.report(), err
}

// run is the state of one run. Only the goroutine of Run touches it.
type run struct {
	cfg  Config
	deps Deps
	// soft ends at the operator's stop; the context that is passed around ends
	// when the run is aborted.
	soft context.Context

	iter          int
	attempt       int
	dead          int
	baseline      decide.Best
	baselineTotal *uint64
	best          decide.Best
	bestToken     string
	solved        bool
	kept          int
	// What goes back to the agent when its candidate did not build.
	broken   string
	rebuilt  uint32
	cursor   []byte
	rows     []wire.RowData
	retained int
	spent    float64
	steer    string
	results  []byte

	ending Ending
	reason string
}

func (r *run) stopped() bool { return r.soft.Err() != nil }

// end fixes how the run ends. The first word counts.
func (r *run) end(e Ending, reason string) phase {
	if r.ending == "" {
		r.ending, r.reason = e, reason
	}
	return wrapup
}

// improved reports whether the run was worth it: in the task lane, whether
// anything was kept.
func (r *run) improved() bool {
	if r.deps.Judge == nil {
		return r.kept > 0
	}
	return r.solved || r.cfg.Rule.Improved(r.best, r.baseline)
}

func (r *run) report() Report {
	return Report{
		Ending: r.ending, Reason: r.reason,
		Improved: r.improved(), Solved: r.solved,
		Rows: r.rows, Baseline: r.baseline, Best: r.best, BestToken: r.bestToken, Spent: r.spent,
	}
}

// diff captures the candidate's patch and its one-line summary for the record.
func (r *run) diff(ctx context.Context) (patch, shortstat string, err error) {
	// A secret that ends behind the cut is to be seen whole.
	const margin = 64 << 10
	var buf bytes.Buffer
	d, err := r.deps.World.Diff(ctx, r.bestToken, wire.MaxDiff+margin, &buf)
	if err != nil {
		return "", "", err
	}
	return wire.CutDiff(r.mask(buf.String())), d.Shortstat, nil
}

func (r *run) mask(text string) string {
	if r.cfg.Mask == nil {
		return text
	}
	return r.cfg.Mask(text)
}
