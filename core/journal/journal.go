// Package journal is the one writer of a run: every event is freed of secrets,
// put on record in the session log, and only then shown (C-WIRE). An event that
// cannot be put on record is an error, and is not shown.
package journal

import (
	"fmt"
	"sync"

	"github.com/crucible-engine/crucible/core/wire"
)

// Log takes encoded lines, without their newline.
type Log interface {
	Append(line []byte) error
}

// Reporter shows events to whoever watches the run.
type Reporter interface {
	Event(wire.Event)
}

// Journal records events. It is safe for concurrent use.
type Journal struct {
	mu       sync.Mutex
	log      Log
	mask     func(string) string
	reporter Reporter
	line     []byte
}

// New makes a journal. mask replaces the secrets in a text.
func New(log Log, mask func(string) string, reporter Reporter) *Journal {
	return &Journal{log: log, mask: mask, reporter: reporter}
}

// Record masks, writes and shows one event.
func (j *Journal) Record(e wire.Event) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	e = wire.MapText(e, j.mask)
	line, err := wire.Append(j.line[:0], e)
	if err != nil {
		return fmt.Errorf("record %s: %w", e.Kind(), err)
	}
	j.line = line
	if err := j.log.Append(line); err != nil {
		return fmt.Errorf("record %s: %w", e.Kind(), err)
	}
	j.reporter.Event(e)
	return nil
}
