package report

import (
	"errors"
	"io"

	"github.com/crucible-engine/crucible/core/wire"
)

// headless writes one line for each thing that matters, without colour. Like
// every program that prints, it waits when nobody reads its output.
type headless struct {
	out, err io.Writer
	p        progress
	failed   error
}

func newHeadless(o Options) *headless { return &headless{out: o.Stdout, err: o.Stderr} }

// Event writes the event's lines to Stderr.
func (h *headless) Event(e wire.Event) {
	for _, l := range h.p.add(e) {
		if h.failed == nil {
			_, h.failed = io.WriteString(h.err, l.text+"\n")
		}
	}
}

// Log is Stderr.
func (h *headless) Log() io.Writer { return h.err }

// Close writes the table and the score line to Stdout.
func (h *headless) Close() error {
	_, err := io.WriteString(h.out, h.p.result())
	return errors.Join(h.failed, err)
}
