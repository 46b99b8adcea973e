package loop

import (
	"context"
	"errors"
	"fmt"

	"github.com/crucible-engine/crucible/core/decide"
	"github.com/crucible-engine/crucible/core/inject"
	"github.com/crucible-engine/crucible/core/judge"
	"github.com/crucible-engine/crucible/core/marker"
	"github.com/crucible-engine/crucible/core/wire"
	"github.com/crucible-engine/crucible/sdk/world"
)

// judge applies, measures and decides what the turn left in the workspace.
func (r *run) judge(ctx context.Context) (phase, error) {
	applied, err := r.deps.World.Apply(r.soft, func(world.LogLine) {})
	if r.stopped() {
		return r.end(Stopped, "stopped by the operator"), nil
	}
	if err != nil {
		return done, fmt.Errorf("apply: %w", err)
	}
	if !applied.OK {
		text := "apply failed: " + orElse(applied.Note, fmt.Sprintf("exit %d", applied.ExitCode))
		if err := r.note(text); err != nil {
			return done, err
		}
		return r.discarded(ctx, text)
	}
	// Nothing is measured while something of the agent's could stand where a
	// frozen file belongs.
	if err := r.deps.Injects.ApplyFrozen(ctx, r.cfg.Workspace); err != nil {
		if ctx.Err() != nil || errors.Is(err, inject.ErrSourceChanged) {
			return done, fmt.Errorf("put frozen files in place: %w", err)
		}
		return r.discarded(ctx, "frozen files could not be put in place: "+err.Error())
	}
	if r.deps.Judge == nil {
		return r.decide(ctx, decide.Reading{Valid: true})
	}
	built, err := r.build()
	switch {
	case r.stopped():
		return r.end(Stopped, "stopped by the operator"), nil
	case err != nil:
		return done, err
	case !built.OK && r.rebuilt < built.Retries && r.overBudget() == "":
		return r.sendBack(built)
	case !built.OK:
		return r.discarded(ctx, built.Component+" does not build: "+built.Output)
	}
	reading, err := r.deps.Judge.Measure(r.soft, judge.Known{
		BaselineScore: r.baseline.Score, BaselineTotal: r.baselineTotal, BestScore: r.best.Score, Images: built.Variables(),
	})
	if r.stopped() {
		return r.end(Stopped, "stopped by the operator"), nil
	}
	if err != nil {
		return done, fmt.Errorf("measure: %w", err)
	}
	return r.decide(ctx, reading)
}

// decide keeps or discards a measured candidate and records its row.
func (r *run) decide(ctx context.Context, reading decide.Reading) (phase, error) {
	writeUp, err := marker.TakeCandidate(r.cfg.Workspace)
	if err != nil {
		if err := r.note("candidate write-up ignored: " + err.Error()); err != nil {
			return done, err
		}
	}
	writeUp = r.mask(writeUp)
	patch, shortstat, err := r.diff(ctx)
	if ctx.Err() != nil {
		return done, ctx.Err()
	}
	if err != nil {
		// Something of the agent's still changes the files, or made them unreadable:
		// what cannot be captured cannot be kept.
		return r.discarded(ctx, "the candidate could not be captured: "+err.Error())
	}
	row := readingRow(r.iter, wire.DecisionDiscard, reading)
	row.Diff, row.Diffstat, row.CandidateMD = patch, shortstat, writeUp
	row.Note = candidateNote(reading, writeUp)
	if r.rebuilt > 0 {
		row.Note = fmt.Sprintf("built at attempt %d; %s", r.rebuilt+1, row.Note)
	}
	if patch == "" && reading.Valid {
		row.Note = "no file changed; " + row.Note
	}
	verdict := r.verdict(reading)
	if verdict.Keep {
		verdict = r.keep(ctx, reading, verdict, &row)
	}
	if !verdict.Keep {
		if _, err := r.deps.World.Restore(ctx, r.bestToken); err != nil {
			return done, fmt.Errorf("restore the best state: %w", err)
		}
	}
	if err := r.addRow(row, verdict.Solved); err != nil {
		return done, err
	}
	return r.afterRow(verdict)
}

// verdict decides about a candidate (C-DECIDE). Without a judge every turn that
// did not fail is kept.
func (r *run) verdict(reading decide.Reading) decide.Verdict {
	if r.deps.Judge == nil {
		return decide.Verdict{Keep: true}
	}
	return r.cfg.Rule.Decide(reading, r.best)
}

// candidateNote is the agent's account of its change, else the judge's note. Why
// a candidate is invalid comes first.
func candidateNote(reading decide.Reading, writeUp string) string {
	account := wire.FoldNote(writeUp)
	if reading.Valid || account == "" {
		return orElse(account, reading.Note)
	}
	return reading.Note + " | " + account
}

// keep records the candidate's state. One that cannot be recorded is not kept,
// and the row does not say so.
func (r *run) keep(ctx context.Context, reading decide.Reading, verdict decide.Verdict, row *wire.RowData) decide.Verdict {
	label := fmt.Sprintf("iter %d: keep (%s)", r.iter, row.Note)
	snap, err := r.deps.World.Snapshot(ctx, world.SnapshotRequest{Label: label})
	if err != nil {
		row.Note = "snapshot failed, candidate discarded: " + marker.Headline(r.mask(err.Error()), 400)
		return decide.Verdict{}
	}
	r.best, r.bestToken = reading.Best(), snap.Token
	r.solved = r.solved || verdict.Solved
	r.kept++
	row.Decision, row.KeptSnap = wire.DecisionKeep, snap.Token
	return verdict
}

// afterRow goes on to the next candidate or ends the run. A win counts even
// when the same iteration crossed a cap.
func (r *run) afterRow(verdict decide.Verdict) (phase, error) {
	if verdict.Solved && !r.cfg.NoEarlyStop {
		return r.end(Solved, "win condition met"), nil
	}
	if reason := r.overBudget(); reason != "" {
		return r.end(Budget, reason), r.note(reason)
	}
	r.iter++
	r.attempt, r.rebuilt, r.broken, r.cursor = 0, 0, "", nil
	return head, nil
}

// discarded books a candidate that was never measured, or could not be captured.
func (r *run) discarded(ctx context.Context, why string) (phase, error) {
	if _, err := r.deps.World.Restore(ctx, r.bestToken); err != nil {
		return done, fmt.Errorf("restore the best state: %w", err)
	}
	if err := r.addRow(wire.RowData{Iter: r.iter, Decision: wire.DecisionDiscarded, Note: marker.Headline(r.mask(why), 500)}, false); err != nil {
		return done, err
	}
	return r.afterRow(decide.Verdict{})
}
