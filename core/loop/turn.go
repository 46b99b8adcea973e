package loop

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/crucible-engine/crucible/core/marker"
	"github.com/crucible-engine/crucible/core/prompt"
	"github.com/crucible-engine/crucible/core/wire"
	"github.com/crucible-engine/crucible/sdk/contract"
	"github.com/crucible-engine/crucible/sdk/transport"
)

// maxDead is how many turns in a row may fail to start before the run stalls.
const maxDead = 3

// errCap is the cause with which a turn is stopped that crosses a cap. What it
// left in the workspace is still measured and decided.
var errCap = errors.New("cap reached")

// takeTurn lets the agent propose and judges what it did.
func (r *run) takeTurn(ctx context.Context) (phase, error) {
	if err := r.takeSteer(); err != nil {
		return done, err
	}
	result, turnErr, err := r.propose(ctx)
	if err != nil {
		return done, err
	}
	if r.stopped() {
		return r.end(Stopped, "stopped by the operator"), nil
	}
	// An agent that gives up is believed even if its turn failed.
	if escalated, err := r.takeEscalation(ctx); err != nil || escalated {
		return wrapup, err
	}
	switch {
	case turnErr == nil && result.Outcome == transport.OutcomeFailed:
		r.started()
		return r.discarded(ctx, "turn failed: "+orElse(result.Note, fmt.Sprintf("exit %d", result.ExitCode)))
	case turnErr == nil:
		r.started()
		return r.judge(ctx)
	case errors.Is(turnErr, contract.ErrInvalid) || errors.Is(turnErr, contract.ErrUnsupported):
		return done, fmt.Errorf("run turn: %w", turnErr)
	case errors.Is(turnErr, contract.ErrRefused) || errors.Is(turnErr, contract.ErrInternal):
		r.started()
		return r.discarded(ctx, "turn failed: "+turnErr.Error())
	default:
		return r.neverStarted(ctx, turnErr)
	}
}

// started ends a series of dead turns and settles the steering text that the
// turn carried.
func (r *run) started() {
	r.dead, r.steer = 0, ""
}

// propose runs one turn and records it. turnErr is the transport's; err ends
// the run.
func (r *run) propose(ctx context.Context) (result transport.Result, turnErr, err error) {
	r.attempt++
	request := r.cfg.Turn
	request.TurnID = fmt.Sprintf("iter-%d-%d", r.iter, r.attempt)
	request.Prompt = prompt.Render(r.cfg.Template, prompt.Values{
		Goal: r.cfg.Goal, Status: prompt.Status(r.cfg.Objective, r.best.Score), Steer: r.steer,
	})
	r.repair(&request)
	if len(request.Prompt) > contract.MaxPrompt {
		return result, nil, fmt.Errorf("render prompt: %d bytes is over the limit of %d", len(request.Prompt), contract.MaxPrompt)
	}
	if err := r.deps.Recorder.Record(wire.AgentStart{Iter: r.iter}); err != nil {
		return result, nil, err
	}
	turnCtx, cancel := context.WithCancelCause(r.soft)
	defer cancel(nil)
	if r.cfg.MaxTime > 0 {
		timer := time.AfterFunc(r.cfg.MaxTime-r.elapsed(), func() { cancel(errCap) })
		defer timer.Stop()
	}
	m := meter{run: r, stop: func() { cancel(errCap) }}
	result, turnErr = r.deps.Agent.RunTurn(turnCtx, request, m.event)
	if ctx.Err() != nil {
		return result, nil, ctx.Err()
	}
	if m.err != nil {
		return result, nil, m.err
	}
	if turnErr != nil && errors.Is(context.Cause(turnCtx), errCap) {
		result, turnErr = transport.Result{Outcome: transport.OutcomeCompleted}, nil
		if err := r.note("the turn was stopped at the run's limit; what it left is judged"); err != nil {
			return result, nil, err
		}
	}
	if err := r.deps.Recorder.Record(wire.AgentDone{}); err != nil {
		return result, nil, err
	}
	r.cursor = result.Cursor
	r.spent += max(m.cost, result.CostUSD)
	return result, turnErr, r.recordBudget(r.spent)
}

func (r *run) recordBudget(spent float64) error {
	return r.deps.Recorder.Record(wire.Budget{Spent: spent, ElapsedSecs: uint64(r.elapsed().Seconds())})
}

// takeEscalation ends the run when the agent asked for it.
func (r *run) takeEscalation(ctx context.Context) (bool, error) {
	esc, err := marker.TakeEscalation(r.cfg.Workspace)
	if err != nil {
		return false, r.note("escalation ignored: " + err.Error())
	}
	if esc == nil {
		return false, nil
	}
	event := wire.Escalation{Category: esc.Category, Reason: esc.Reason, Evidence: esc.Evidence}
	if err := r.deps.Recorder.Record(event); err != nil {
		return false, err
	}
	if _, err := r.deps.World.Restore(ctx, r.bestToken); err != nil {
		return false, fmt.Errorf("restore the best state: %w", err)
	}
	r.end(Escalated, "the agent escalated: "+marker.Headline(r.mask(esc.Reason), 200))
	return true, nil
}

// neverStarted books a turn that the transport did not bring about. The
// iteration is not spent.
func (r *run) neverStarted(ctx context.Context, cause error) (phase, error) {
	r.dead++
	r.broken, r.rebuilt, r.cursor = "", 0, nil // what did not build goes with the restore
	if _, err := r.deps.World.Restore(ctx, r.bestToken); err != nil {
		return done, fmt.Errorf("restore the best state: %w", err)
	}
	row := wire.RowData{Iter: r.iter, Decision: wire.DecisionInfraDead, Note: marker.Headline(r.mask(cause.Error()), 500), Phase: wire.RowPhaseInfra}
	if err := r.addRow(row, false); err != nil {
		return done, err
	}
	if r.dead >= maxDead {
		reason := fmt.Sprintf("%d turns in a row never started", r.dead)
		return r.end(Stalled, reason), r.note(reason)
	}
	r.pause()
	return head, nil
}

// pause gives what is down outside a moment to come back.
func (r *run) pause() {
	wait := r.cfg.DeadTurnPause
	if wait == 0 {
		wait = time.Second
	}
	timer := time.NewTimer(wait << (r.dead - 1))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-r.soft.Done():
	}
}

func orElse(s, fallback string) string {
	if s == "" {
		return fallback
	}
	return s
}
