package host_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/crucible-engine/crucible/sdk/transport"
)

// turn runs one turn of a faulty transport and collects its lines; the first is
// the plugin's process id.
func turn(ctx context.Context, tr transport.Transport, command string) ([]string, transport.Result, error) {
	var lines []string
	result, err := tr.RunTurn(ctx, transport.Turn{RunID: "r", TurnID: rand.Text(), Workspace: "/", Command: command}, func(e transport.Event) error {
		if output, ok := e.(transport.Output); ok {
			lines = append(lines, string(output.Line))
		}
		return nil
	})
	return lines, result, err
}

// processOf is the process id in a line.
func processOf(t *testing.T, line string) int {
	t.Helper()
	pid, err := strconv.Atoi(line)
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

// running reports whether a process runs; a zombie does not.
func running(pid int) bool {
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return false
	}
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	return len(fields) > 0 && fields[0][0] != 'Z' && fields[0][0] != 'X'
}

// wantDead waits until a process has ended.
func wantDead(t *testing.T, pid int, within time.Duration) {
	t.Helper()
	for deadline := time.Now().Add(within); running(pid); {
		if time.Now().After(deadline) {
			t.Errorf("process %d runs %s later", pid, within)
			return
		}
	}
}

// wantNoProcess looks for processes that were started as path.
func wantNoProcess(t *testing.T, path string) {
	t.Helper()
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range lines {
		text, err := os.ReadFile(file)
		if err == nil && (strings.HasPrefix(string(text), path+"\x00") || string(text) == path) {
			t.Errorf("%s still runs: %s", path, file)
		}
	}
}
