package loop

import (
	"fmt"
	"strings"

	"github.com/crucible-engine/crucible/core/build"
	"github.com/crucible-engine/crucible/core/marker"
	"github.com/crucible-engine/crucible/sdk/transport"
)

// build makes what is measured; where nothing has to be made that is done.
func (r *run) build() (build.Outcome, error) {
	if r.deps.Builder == nil {
		return build.Outcome{OK: true}, nil
	}
	out, err := r.deps.Builder.Build(r.soft)
	if err != nil && !r.stopped() {
		err = fmt.Errorf("build the candidate: %w", err)
	}
	return out, err
}

// buildBaseline wants the untouched workspace to build.
func (r *run) buildBaseline() (build.Outcome, error) {
	out, err := r.build()
	if err == nil && !out.OK {
		err = fmt.Errorf("%w: %s does not build: %s", ErrBaseline, out.Component, marker.Headline(r.mask(out.Output), 2000))
	}
	return out, err
}

// sendBack gives a candidate that does not build back to the agent, with what the
// compiler said, for free: the iteration is not over, and the workspace stays
// (C-BUILD-MODE).
func (r *run) sendBack(out build.Outcome) (phase, error) {
	r.rebuilt++
	r.broken = r.mask(out.Output)
	text := fmt.Sprintf("%s does not build; the agent tries again for free (%d of %d)", out.Component, r.rebuilt, out.Retries)
	return turn, r.note(text)
}

// repair changes a turn's request into one that mends what does not build.
func (r *run) repair(request *transport.Turn) {
	if r.deps.Builder == nil {
		return
	}
	if r.broken != "" {
		request.Prompt += "\n\nYour change does not build. Mend it; what you have done so far is still there. The build said:\n\n" + fenced(r.broken)
	}
	if !r.cfg.Sessions {
		return
	}
	s := &transport.Session{Name: fmt.Sprintf("iter-%d", r.iter), Action: transport.SessionStart, Turn: r.rebuilt + 1}
	if r.rebuilt > 0 && len(r.cursor) > 0 {
		s.Action, s.Cursor = transport.SessionResume, r.cursor
	}
	request.Session = s
}

// fenced is text between fences that it cannot close.
func fenced(text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + "\n" + strings.TrimRight(text, "\n") + "\n" + fence + "\n"
}
