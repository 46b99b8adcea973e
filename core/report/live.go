package report

import (
	"errors"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"github.com/crucible-engine/crucible/core/wire"
)

const (
	// redraw is the shortest time between two writes to the terminal.
	redraw = 100 * time.Millisecond
	// measuring stands for all that the engine does with a candidate.
	measuring = "measuring"
	// maxPending is how many lines wait for a terminal that does not take them.
	maxPending = 1000
)

// live shows one line that is redrawn in place: phase, time in it, best score,
// money, and what the agent said last. Finished lines scroll above it. All
// writing is done by one goroutine, which the first event starts, so that a
// terminal that is stopped (Ctrl-S) never stops the run; only Close waits for it.
type live struct {
	out     io.Writer // results
	tty     io.Writer
	columns func() int
	colour  bool
	started bool
	stop    chan struct{} // closed by Close
	done    chan struct{} // closed by the goroutine

	mu       sync.Mutex
	p        progress
	phase    string
	since    time.Time
	activity string
	pending  []line
	dropped  int
	closed   bool
	partial  []byte // of a log line whose end did not come yet

	drawn  bool  // the goroutine's own: the live line is on the screen
	failed error // the goroutine's own until done is closed
}

// newLive makes the display when Stderr is a terminal that can redraw.
func newLive(o Options) (*live, bool) {
	f, ok := terminal(o.Stderr, o.Getenv)
	if !ok {
		return nil, false
	}
	return makeLive(o, func() int { return columns(f, o.Getenv) }), true
}

func makeLive(o Options, columns func() int) *live {
	return &live{
		out: o.Stdout, tty: o.Stderr, columns: columns, colour: o.Getenv("NO_COLOR") == "",
		stop: make(chan struct{}), done: make(chan struct{}),
		phase: wire.PhaseStarting, since: time.Now(),
	}
}

func columns(f *os.File, getenv func(string) string) int {
	if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > 0 {
		return w
	}
	if w, err := strconv.Atoi(getenv("COLUMNS")); err == nil && w > 0 {
		return w
	}
	return 80
}

// Event takes an event in and returns at once.
func (l *live) Event(e wire.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.start()
	lines := l.p.add(e)
	switch e := e.(type) {
	case wire.Phase:
		// The live line says it; a line of its own would say it twice.
		l.phase, l.since, l.activity = l.p.phase(e), time.Now(), ""
		if e.Phase == wire.PhaseBaseline {
			l.activity = measuring
		}
		return
	case wire.AgentStart:
		l.activity = "agent at work"
	case wire.AgentDone:
		l.activity = measuring
	case wire.Row, wire.Shutdown:
		l.activity = ""
	case wire.Agent:
		if text := said(e.Event); text != "" {
			l.activity = text
		}
	}
	l.show(lines)
}

// start starts the goroutine at the first call. The caller has the lock.
func (l *live) start() {
	if !l.started {
		l.started = true
		go l.run()
	}
}

// show puts lines above the live line. The caller has the lock.
func (l *live) show(lines []line) {
	l.pending = append(l.pending, lines...)
	if over := len(l.pending) - maxPending; over > 0 {
		l.pending = append(l.pending[:0], l.pending[over:]...)
		l.dropped += over
	}
}

// said is the agent's latest words, for the live line.
func said(e wire.AgentEvent) string {
	switch e := e.(type) {
	case wire.Raw:
		return oneLine(e.Text, maxShownNote)
	case wire.Text:
		return oneLine(e.Delta, maxShownNote)
	case wire.Tool:
		return oneLine(e.Name+" "+e.Summary, maxShownNote)
	case wire.Thinking:
		return "thinking"
	}
	return ""
}

// Close removes the live line and shows the result.
func (l *live) Close() error {
	l.mu.Lock()
	started := l.started
	l.closed = true
	l.mu.Unlock()
	if started {
		close(l.stop)
		<-l.done
	}
	_, err := io.WriteString(l.out, l.p.result())
	return errors.Join(l.failed, err)
}

func (l *live) run() {
	defer close(l.done)
	tick := time.NewTicker(redraw)
	defer tick.Stop()
	shown := ""
	for {
		select {
		case <-l.stop:
			l.draw("")
			return
		case now := <-tick.C:
			if status := l.status(now); status != shown || l.waiting() {
				shown = status
				l.draw(status)
			}
		}
	}
}

func (l *live) waiting() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.pending) > 0
}

// status is the text of the live line.
func (l *live) status(now time.Time) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	parts := []string{l.phase, clock(now.Sub(l.since))}
	if l.p.best != nil {
		parts = append(parts, "best "+score(l.p.best))
	}
	if l.p.baseline != nil && l.p.best != l.p.baseline {
		parts = append(parts, "from "+score(l.p.baseline))
	}
	if l.p.spent > 0 {
		parts = append(parts, dollars(l.p.spent))
	}
	if l.activity != "" {
		parts = append(parts, l.activity)
	}
	return strings.Join(parts, "  ")
}

// draw writes what is pending above the live line and the line itself, in one
// write. An empty status removes it.
func (l *live) draw(status string) {
	l.mu.Lock()
	pending, dropped := l.pending, l.dropped
	l.pending, l.dropped = nil, 0
	l.mu.Unlock()
	if l.failed != nil {
		return
	}
	var b strings.Builder
	if l.drawn {
		b.WriteString("\r\x1b[K")
	}
	if dropped > 0 {
		b.WriteString("(" + strconv.Itoa(dropped) + " lines left out)\n")
	}
	for _, one := range pending {
		b.WriteString(l.paint(one) + "\n")
	}
	// One column stays free: a full line makes some terminals wrap.
	b.WriteString(fit(status, l.columns()-1))
	l.drawn = status != ""
	_, l.failed = io.WriteString(l.tty, b.String())
}

func (l *live) paint(one line) string {
	if !l.colour {
		return one.text
	}
	switch one.class {
	case good:
		return "\x1b[32m" + one.text + "\x1b[0m"
	case dim:
		return "\x1b[2m" + one.text + "\x1b[0m"
	case bad:
		return "\x1b[31m" + one.text + "\x1b[0m"
	default:
		return one.text
	}
}
