package report

import (
	"bytes"
	"io"
)

// maxLogLine is how much of a log line without an end is kept, in bytes.
const maxLogLine = 64 << 10

// liveLog puts the lines of a log above the live line.
type liveLog struct{ l *live }

// Log is safe for concurrent use. After Close it writes to the terminal as it is.
func (l *live) Log() io.Writer { return liveLog{l} }

// Write takes whole and partial lines. It never fails and never waits for the
// terminal before Close.
func (w liveLog) Write(p []byte) (int, error) {
	l := w.l
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return l.tty.Write(p)
	}
	l.start()
	rest := p
	for {
		text, after, found := bytes.Cut(rest, []byte{'\n'})
		room := max(0, maxLogLine-len(l.partial))
		l.partial = append(l.partial, text[:min(len(text), room)]...)
		if !found {
			return len(p), nil
		}
		l.show([]line{{dim, oneLine(string(l.partial), maxLogLine)}})
		l.partial = l.partial[:0]
		rest = after
	}
}
