package loop

import (
	"fmt"
	"strings"
	"time"

	"github.com/crucible-engine/crucible/core/wire"
)

// atHead decides whether there is another iteration.
func (r *run) atHead() (phase, error) {
	if r.stopped() {
		return r.end(Stopped, "stopped by the operator"), nil
	}
	if r.iter > r.cfg.Iterations {
		return r.end(Finished, "all iterations are done"), nil
	}
	if reason := r.overBudget(); reason != "" {
		return r.end(Budget, reason), r.note(reason)
	}
	if err := r.deps.Recorder.Record(wire.Phase{Phase: wire.PhaseIteration, Iter: r.iter}); err != nil {
		return done, err
	}
	if err := r.publishResults(); err != nil {
		return done, err
	}
	return turn, nil
}

// overBudget names the cap that has been reached, empty for none.
func (r *run) overBudget() string {
	if r.cfg.MaxCost > 0 && r.spent >= r.cfg.MaxCost {
		return fmt.Sprintf("cost limit reached: %.2f of %.2f USD", r.spent, r.cfg.MaxCost)
	}
	if r.cfg.MaxTime > 0 && r.elapsed() >= r.cfg.MaxTime {
		return fmt.Sprintf("time limit of %s reached", r.cfg.MaxTime)
	}
	return ""
}

func (r *run) elapsed() time.Duration { return time.Since(r.cfg.Started) }

// takeSteer adds what the operator wrote to what no turn has carried yet.
func (r *run) takeSteer() error {
	text, err := r.deps.Steering.Drain()
	if err != nil {
		return r.note("steering could not be read: " + err.Error())
	}
	if text == "" {
		return nil
	}
	if r.steer != "" {
		text = r.steer + "\n" + text
	}
	r.steer = text
	return r.note("injected operator steer")
}

func (r *run) note(text string) error {
	return r.deps.Recorder.Record(wire.Note{Msg: text})
}

func trimmed(s string) string { return strings.TrimSpace(s) }
