package loop

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/crucible-engine/crucible/core/wire"
)

// phase is where the loop stands between two steps.
type phase int

const (
	setup phase = iota
	baseline
	head
	turn
	wrapup
	done
)

func (p phase) String() string {
	switch p {
	case setup:
		return "setup"
	case baseline:
		return "baseline"
	case head:
		return "head"
	case turn:
		return "turn"
	case wrapup:
		return "wrapup"
	default:
		return "done"
	}
}

// next lists the phases that may follow each phase. A step that asks for
// another one is a fault of this package.
func next(p phase) []phase {
	switch p {
	case setup:
		return []phase{baseline}
	case baseline:
		return []phase{head, wrapup}
	case head:
		return []phase{turn, wrapup}
	case turn:
		return []phase{turn, head, wrapup} // a candidate that does not build goes back
	case wrapup:
		return []phase{done}
	default:
		return nil
	}
}

// loop walks the phases. An error anywhere ends the run: the best state is
// restored as far as that works, and the only line that follows is shutdown.
func (r *run) loop(ctx context.Context) error {
	at := setup
	for at != done {
		to, err := r.step(ctx, at)
		if err == nil && !slices.Contains(next(at), to) {
			err = fmt.Errorf("loop: no way from %s to %s", at, to)
		}
		if err != nil {
			return r.fail(ctx, err)
		}
		at = to
	}
	return nil
}

func (r *run) step(ctx context.Context, at phase) (phase, error) {
	switch at {
	case setup:
		return r.open()
	case baseline:
		return r.measureBaseline(ctx)
	case head:
		return r.atHead()
	case turn:
		return r.takeTurn(ctx)
	default:
		return r.wrapUp(ctx)
	}
}

// open writes the first lines of the log.
func (r *run) open() (phase, error) {
	start := wire.Start{
		Goal: trimmed(r.cfg.Goal), Gate: r.cfg.Objective, Model: r.cfg.Turn.Harness.Model,
		ItersTotal: r.cfg.Iterations, MaxCost: r.cfg.MaxCost, MaxSecs: uint64(r.cfg.MaxTime.Seconds()),
	}
	for _, e := range append([]wire.Event{start}, r.cfg.Opening...) {
		if err := r.deps.Recorder.Record(e); err != nil {
			return done, err
		}
	}
	return baseline, nil
}

// wrapUp closes a run that ended in order.
func (r *run) wrapUp(ctx context.Context) (phase, error) {
	if r.ending == Stopped && r.bestToken != "" {
		// What a stopped turn left behind was never measured.
		if _, err := r.deps.World.Restore(ctx, r.bestToken); err != nil {
			return done, fmt.Errorf("restore the best state: %w", err)
		}
	}
	for _, e := range []wire.Event{
		wire.Summary{Rows: r.rows, Gate: r.cfg.Objective, BestScore: r.best.Score},
		wire.Finished{},
		wire.Shutdown{Outcome: string(r.ending), Reason: r.reason},
	} {
		if err := r.deps.Recorder.Record(e); err != nil {
			return done, err
		}
	}
	return done, nil
}

func (r *run) fail(ctx context.Context, cause error) error {
	r.ending, r.reason = Failed, cause.Error()
	errs := []error{cause}
	if r.bestToken != "" && ctx.Err() == nil {
		if _, err := r.deps.World.Restore(ctx, r.bestToken); err != nil {
			errs = append(errs, fmt.Errorf("restore the best state: %w", err))
		}
	}
	if err := r.deps.Recorder.Record(wire.Shutdown{Outcome: string(Failed), Reason: r.reason}); err != nil && !errors.Is(cause, err) {
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}
