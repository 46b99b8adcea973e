package report

import (
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/term"

	"github.com/crucible-engine/crucible/core/wire"
)

// The modes of --ui.
const (
	// ModeAuto shows one live line on a terminal and is ModeHeadless elsewhere.
	ModeAuto = "auto"
	// ModeHeadless writes lines for people to Stderr and the result to Stdout.
	ModeHeadless = "headless"
	// ModeJSONL and ModeStream write the lines of the session log to Stdout.
	ModeJSONL  = "jsonl"
	ModeStream = "stream"
)

// ErrMode is the cause when New does not know the mode.
var ErrMode = errors.New("want auto, headless, jsonl or stream")

// Reporter shows the events of one run in their order. Its methods are for one
// goroutine, but for what Log returns. It never ends a run: a failed write silences it, the session log
// has everything.
type Reporter interface {
	// Event shows one event. Secrets are masked by the caller.
	Event(e wire.Event)
	// Log takes the lines of a log for people, from any goroutine: they go to
	// Stderr, on a terminal above the live line.
	Log() io.Writer
	// Close shows the result, if the mode does, and restores the terminal. It
	// returns the first error of a write.
	Close() error
}

// Options says where a Reporter writes.
type Options struct {
	// Stdout gets results, Stderr what is for people.
	Stdout, Stderr io.Writer
	// Getenv is os.Getenv or a stand-in; NO_COLOR, TERM and COLUMNS are asked for.
	Getenv func(string) string
}

// New makes the Reporter of a mode. It fails with ErrMode.
func New(mode string, o Options) (Reporter, error) {
	switch mode {
	case ModeJSONL, ModeStream:
		return newLines(o), nil
	case ModeHeadless:
		return newHeadless(o), nil
	case ModeAuto:
		if live, ok := newLive(o); ok {
			return live, nil
		}
		return newHeadless(o), nil
	default:
		return nil, fmt.Errorf("reporter %q: %w", mode, ErrMode)
	}
}

// terminal is the file behind w when that is a terminal which can redraw a line.
func terminal(w io.Writer, getenv func(string) string) (*os.File, bool) {
	f, ok := w.(*os.File)
	if !ok || getenv("TERM") == "dumb" || getenv("TERM") == "" || !term.IsTerminal(int(f.Fd())) {
		return nil, false
	}
	return f, true
}
