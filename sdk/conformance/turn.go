package conformance

import (
	"bytes"
	"context"
	"crypto/rand"
	"os"
	"strings"
	"sync"

	"github.com/crucible-engine/crucible/sdk/transport"
)

// newTurn makes a turn whose agent runs a script in a new workspace.
func newTurn(t T, target Target, script string) transport.Turn {
	t.Helper()
	turn := transport.Turn{
		RunID: "conformance", TurnID: rand.Text(), Task: "iteration", Workspace: t.TempDir(), Prompt: "the prompt",
		Env: []transport.EnvVar{{Name: "PATH", Value: os.Getenv("PATH")}, {Name: "LANG", Value: "C"}},
	}
	if target.Script != nil {
		target.Script(&turn, script)
	} else {
		turn.Command = script
	}
	return turn
}

// heard are the events of one turn. It is safe for concurrent use.
type heard struct {
	mu     sync.Mutex
	events []transport.Event
}

func (h *heard) add(e transport.Event) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.events = append(h.events, e)
	return nil
}

// all is what was heard so far.
func (h *heard) all() []transport.Event {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.events[:len(h.events):len(h.events)]
}

// lines are the lines of a stream.
func (h *heard) lines(stream transport.Stream) []string {
	var lines []string
	for _, e := range h.all() {
		if o, ok := e.(transport.Output); ok && o.Stream == stream {
			lines = append(lines, string(o.Line))
		}
	}
	return lines
}

// has reports whether a line was printed to stdout.
func (h *heard) has(line string) bool {
	for _, l := range h.lines(transport.Stdout) {
		if l == line {
			return true
		}
	}
	return false
}

// play runs a turn to its end, which is to be a result.
func play(ctx context.Context, t T, p *peer, turn transport.Turn) (*heard, transport.Result) {
	t.Helper()
	h := &heard{}
	result, err := p.transport.RunTurn(ctx, turn, h.add)
	if err != nil {
		t.Fatalf("run turn: %v", err)
	}
	return h, result
}

// ready is what a script prints when the test may go on.
const ready = "ready"

// isReady recognises the line.
func isReady(e transport.Event) bool {
	o, ok := e.(transport.Output)
	return ok && bytes.Equal(o.Line, []byte(ready))
}

// lingering is a script that starts processes in several ways, writes their ids
// to files, says that it is ready and does not end by itself.
func lingering(more string) string {
	return strings.Join([]string{
		more,
		`echo $$ >` + processFiles + `shell`,
		`sleep 300 & echo $! >` + processFiles + `child`,
		// A grandchild whose parent is gone, and which holds the outputs open.
		`(sleep 300 & echo $! >` + processFiles + `orphan)`,
		`echo ` + ready,
		`while :; do sleep 300 & wait $!; done`,
	}, "\n")
}
