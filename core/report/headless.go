package report

import (
	"errors"
	"io"

	"github.com/crucible-engine/crucible/core/wire"
)

// headless writes one line for each thing that matters, without colour.
type headless struct {
	out io.Writer
	err *feed
	p   progress
}

func newHeadless(o Options) *headless { return &headless{out: o.Stdout, err: newFeed(o.Stderr)} }

// Event writes the event's lines to Stderr.
func (h *headless) Event(e wire.Event) {
	for _, l := range h.p.add(e) {
		_, _ = io.WriteString(h.err, l.text+"\n") // Close tells
	}
}

// Log goes the way of the events, so that all lines come in their order.
func (h *headless) Log() io.Writer { return h.err }

// Close writes the table and the score line to Stdout. Nobody who reads Stderr is
// no fault.
func (h *headless) Close() error {
	err := h.err.Close()
	if readerGone(err) {
		err = nil
	}
	_, outErr := io.WriteString(h.out, h.p.result())
	return errors.Join(err, outErr)
}
