package report

import (
	"errors"
	"fmt"
	"io"
	"syscall"

	"github.com/crucible-engine/crucible/core/wire"
)

// lines writes the lines of the session log. A program that reads the log gets
// every line, as long as it goes on reading: the run never waits for it.
type lines struct {
	out *feed
	log io.Writer
	err error
}

func newLines(o Options) *lines { return &lines{out: newFeed(o.Stdout), log: o.Stderr} }

// Event writes one line with one write.
func (l *lines) Event(e wire.Event) {
	if l.err != nil {
		return
	}
	line, err := wire.Append(nil, e)
	if err != nil {
		l.err = err
		return
	}
	_, l.err = l.out.Write(append(line, '\n'))
}

// Log is Stderr.
func (l *lines) Log() io.Writer { return l.log }

// Close returns the first error. A reader that went away or stopped reading is
// none: that was its own wish, and the session log has every line.
func (l *lines) Close() error {
	err := l.out.Close()
	if readerGone(err) {
		_, _ = fmt.Fprintf(l.log, "stdout was not read to its end (%v); the session log has every line\n", err)
		err = nil
	}
	return errors.Join(l.err, err)
}

// readerGone reports whether nobody reads any more.
func readerGone(err error) bool {
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe) || errors.Is(err, errStalled)
}
