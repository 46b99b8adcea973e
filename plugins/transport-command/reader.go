package main

import (
	"strings"

	"github.com/crucible-engine/crucible/sdk/proc"
	"github.com/crucible-engine/crucible/sdk/transport"
)

// reader turns what the command prints into events as it comes. Its methods are
// not called two at a time.
type reader struct {
	emit func(transport.Event) error
	// stop ends the command: nobody listens to it any more.
	stop func(cause error)

	failed bool // an event said so
	priced bool // an event had a cost
	cost   float64
	last   string // the last line on stderr that says something
}

// maxLast is how much of that line a note repeats, in bytes.
const maxLast = 200

func (r *reader) stdout(line proc.Line) {
	if a, ok := transport.ParseActivity([]byte(line.Text)); ok && !line.Truncated {
		r.failed = r.failed || a.Failed()
		if usd, ok := a.Cost(); ok {
			r.priced, r.cost = true, max(r.cost, usd)
		}
		r.pass(a)
		return
	}
	r.pass(transport.Output{Stream: transport.Stdout, Line: []byte(line.Text), Truncated: line.Truncated})
}

func (r *reader) stderr(line proc.Line) {
	if text := strings.TrimSpace(line.Text); text != "" {
		r.last = text[:min(len(text), maxLast)]
	}
	r.pass(transport.Output{Stream: transport.Stderr, Line: []byte(line.Text), Truncated: line.Truncated})
}

func (r *reader) pass(event transport.Event) {
	if err := r.emit(event); err != nil {
		r.stop(err)
	}
}

// result judges the whole turn.
func (r *reader) result(exit proc.Exit) transport.Result {
	result := transport.Result{
		Outcome: transport.OutcomeCompleted, ExitCode: exit.Code, Note: note(exit, r.failed),
		CostSource: transport.CostFree, WorkspaceSynced: true,
	}
	if r.failed || !exit.Success() {
		result.Outcome = transport.OutcomeFailed
		if r.last != "" {
			result.Note += ": " + strings.ToValidUTF8(r.last, "")
		}
	}
	if r.priced {
		result.CostUSD, result.CostSource = r.cost, transport.CostReported
	}
	return result
}
