package host_test

import (
	"bytes"
	"strings"
	"sync"
	"testing"

	"github.com/hashicorp/go-hclog"

	"github.com/crucible-engine/crucible/core/host"
	"github.com/crucible-engine/crucible/sdk/contract"
	"github.com/crucible-engine/crucible/sdk/transport"
)

// A plugin's log and what it prints reach the engine's log; a huge line stops
// neither, and messages larger than gRPC's default pass.
func TestLogsAndLargeMessages(t *testing.T) {
	t.Parallel()
	var out lockedBuffer
	_, h, tr := good(t, func(o *host.Options) {
		o.Logger = hclog.New(&hclog.LoggerOptions{Output: &out, Level: hclog.Debug, DisableTime: true})
	})
	if _, _, err := turn(t.Context(), tr, "noise"); err != nil {
		t.Fatal(err)
	}
	prompt := transport.Turn{RunID: "r", TurnID: "t", Workspace: "/", Prompt: strings.Repeat("x", contract.MaxPrompt)}
	if _, err := tr.RunTurn(t.Context(), prompt, func(transport.Event) error { return nil }); err != nil {
		t.Error(err)
	}
	lines, _, err := turn(t.Context(), tr, "big")
	if err != nil || len(lines) != 21 || len(lines[20]) != contract.MaxLine {
		t.Errorf("got %d lines, %v", len(lines), err)
	}
	if err := h.Close(); err != nil {
		t.Error(err)
	}
	text := out.String()
	for _, want := range []string{
		"[INFO]  transport/good: to the log:", "number=7", "[WARN]  transport/good: after the long line",
		`[DEBUG] transport/good: plugin output: stream=stdout line="to stdout"`,
		`[DEBUG] transport/good: plugin output: stream=stderr line="to stderr"`,
		"[INFO]  transport/good: plugin started: version=1.2.3",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the log lacks %q", want)
		}
	}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "[ERROR]") || strings.HasPrefix(line, "[WARN]  host") {
			t.Errorf("an orderly run logged %.200s", line)
		}
	}
}

type lockedBuffer struct {
	mu     sync.Mutex
	buffer bytes.Buffer
}

func (b *lockedBuffer) Write(data []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.Write(data)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.String()
}
