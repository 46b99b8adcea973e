package report

import (
	"io"

	"github.com/crucible-engine/crucible/core/wire"
)

// lines writes the lines of the session log. It writes at once and waits for the
// reader: a program that reads the log needs every line, so a reader that is
// slower than the run slows the run down once the pipe is full.
type lines struct {
	w   io.Writer
	log io.Writer
	buf []byte
	err error
}

func newLines(o Options) *lines { return &lines{w: o.Stdout, log: o.Stderr} }

// Event writes one line with one write.
func (l *lines) Event(e wire.Event) {
	if l.err != nil {
		return
	}
	line, err := wire.Append(l.buf[:0], e)
	if err != nil {
		l.err = err
		return
	}
	l.buf = append(line, '\n')
	_, l.err = l.w.Write(l.buf)
	if cap(l.buf) > 1<<20 {
		l.buf = nil
	}
}

// Log is Stderr.
func (l *lines) Log() io.Writer { return l.log }

// Close returns the first error.
func (l *lines) Close() error { return l.err }
