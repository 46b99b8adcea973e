package loop

import (
	"context"
	"errors"
	"fmt"

	"github.com/crucible-engine/crucible/core/judge"
	"github.com/crucible-engine/crucible/core/wire"
	"github.com/crucible-engine/crucible/sdk/world"
)

// ErrBaseline: the judge calls the untouched workspace invalid, so that no
// candidate could be compared with anything.
var ErrBaseline = errors.New("the baseline is invalid")

// measureBaseline records the state that everything is compared with. The first
// valid reading sets the baseline and is always kept (C-DECIDE).
func (r *run) measureBaseline(ctx context.Context) (phase, error) {
	if err := r.deps.Recorder.Record(wire.Phase{Phase: wire.PhaseBaseline}); err != nil {
		return done, err
	}
	// The author may have changed a frozen file since the last run: that belongs to
	// the baseline, not to the first candidate.
	if err := r.deps.Injects.ApplyFrozen(ctx, r.cfg.Workspace); err != nil {
		return done, fmt.Errorf("put frozen files in place: %w", err)
	}
	snap, err := r.deps.World.Snapshot(ctx, world.SnapshotRequest{Label: "baseline"})
	if err != nil {
		return done, fmt.Errorf("snapshot the baseline: %w", err)
	}
	r.bestToken = snap.Token
	if snap.Changed {
		note := "the workspace held changes that no snapshot had (" + snap.Shortstat + "); they are part of the baseline"
		if err := r.note(note); err != nil {
			return done, err
		}
	}
	row := wire.RowData{Decision: wire.DecisionBaselineSkipped, Note: "baseline skipped", KeptSnap: snap.Token}
	if !r.cfg.SkipBaseline && r.deps.Judge != nil {
		built, err := r.buildBaseline()
		if err != nil && !r.stopped() {
			return done, err
		}
		reading, err := r.deps.Judge.Measure(r.soft, judge.Known{Images: built.Variables()})
		if r.stopped() {
			return r.end(Stopped, "stopped by the operator"), nil
		}
		if err != nil {
			return done, fmt.Errorf("measure the baseline: %w", err)
		}
		if !reading.Valid {
			return done, fmt.Errorf("%w: %s", ErrBaseline, reading.Note)
		}
		r.best, r.baseline, r.baselineTotal = reading.Best(), reading.Best(), reading.Total
		row = readingRow(0, wire.DecisionBaseline, reading)
		row.KeptSnap = snap.Token
	}
	if err := r.addRow(row, false); err != nil {
		return done, err
	}
	if row.Decision == wire.DecisionBaseline && row.Score == nil {
		if err := r.note("WARNING: the baseline's reading is valid and has no score; a candidate with any score will be kept"); err != nil {
			return done, err
		}
	}
	segment := wire.Segment{Fingerprint: r.cfg.Fingerprint, BaselineScore: r.baseline.Score, Regime: wire.RegimeDefault}
	if err := r.deps.Recorder.Record(segment); err != nil {
		return done, err
	}
	r.iter = 1
	return head, nil
}
