package state_test

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crucible-engine/crucible/core/state"
	"github.com/crucible-engine/crucible/core/wire"
)

// TestTornTail cuts a log at every byte, as a kill in the middle of a write
// does. Every complete line stays, and the next line is whole.
func TestTornTail(t *testing.T) {
	t.Parallel()
	lines := []string{`{"v":1,"kind":"note","msg":"one"}`, `{"v":1,"kind":"agent_start","iter":1}`, `{"v":1,"kind":"agent_done"}`}
	whole := strings.Join(lines, "\n") + "\n"
	const next = `{"v":1,"kind":"finished"}`
	dir := t.TempDir()
	begin(t, dir, "r1")
	path := filepath.Join(dir, "session.jsonl")
	for cut := range len(whole) + 1 {
		write(t, path, whole[:cut])
		d, err := state.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := d.Continue(); err != nil {
			t.Fatal(err)
		}
		if err := d.Log().Append([]byte(next)); err != nil {
			t.Fatal(err)
		}
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
		var got []string
		for line := range strings.Lines(read(t, path)) {
			if !strings.HasSuffix(line, "\n") {
				t.Fatalf("cut at %d: torn line %q", cut, line)
			}
			if _, err := wire.Decode([]byte(line)); err == nil {
				got = append(got, strings.TrimSuffix(line, "\n"))
			}
		}
		var want []string
		for i, n := 0, 0; i < len(lines); i++ {
			if n += len(lines[i]); n <= cut {
				want = append(want, lines[i])
			}
			n++
		}
		if diff := cmp.Diff(append(want, next), got); diff != "" {
			t.Fatalf("cut at %d: %s", cut, diff)
		}
	}
}

// TestTornTailIsHealedInTheHistory: a fresh run heals the log it puts away.
func TestTornTailIsHealedInTheHistory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	begin(t, dir, "r1", "whole")
	for _, name := range []string{"session.jsonl", "admissions.jsonl"} {
		write(t, filepath.Join(dir, name), "whole\nto")
	}
	begin(t, dir, "r2")
	for _, name := range []string{"session.jsonl", "admissions.jsonl"} {
		if text := read(t, filepath.Join(dir, "history/r1", name)); text != "whole\nto\n" {
			t.Errorf("%s: %q", name, text)
		}
	}
}

func TestAppendRefuses(t *testing.T) {
	t.Parallel()
	d := open(t, t.TempDir())
	if _, err := d.Begin("r"); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"", "a\nb", "a\n", "\n"} {
		if err := d.Log().Append([]byte(line)); err == nil {
			t.Errorf("%q was appended", line)
		}
	}
	if text := read(t, d.Log().Path()); text != "" {
		t.Errorf("got %q", text)
	}
}

func TestAppendConcurrently(t *testing.T) {
	t.Parallel()
	d := open(t, t.TempDir())
	if _, err := d.Begin("r"); err != nil {
		t.Fatal(err)
	}
	const writers, each = 8, 100
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for n := range each {
				line := fmt.Sprintf("%d %d %s", w, n, strings.Repeat("x", n*10))
				if err := d.Log().Append([]byte(line)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	next := make([]int, writers)
	total := 0
	for line := range strings.Lines(read(t, d.Log().Path())) {
		var w, n int
		if _, err := fmt.Sscanf(line, "%d %d ", &w, &n); err != nil || next[w] != n || len(line) < n*10 {
			t.Fatalf("torn or out of order: %q %v", line, err)
		}
		next[w]++
		total++
	}
	if total != writers*each {
		t.Errorf("%d lines", total)
	}
}

// TestForeignAppend: a line that another process appends stays whole.
func TestForeignAppend(t *testing.T) {
	t.Parallel()
	d := open(t, t.TempDir())
	if _, err := d.Begin("r"); err != nil {
		t.Fatal(err)
	}
	append1 := func(line string) {
		t.Helper()
		if err := d.Log().Append([]byte(line)); err != nil {
			t.Fatal(err)
		}
	}
	append1("1")
	f, err := os.OpenFile(d.Log().Path(), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString("2\n"); err != nil {
		t.Fatal(err)
	}
	append1("3")
	if text := read(t, d.Log().Path()); text != "1\n2\n3\n" {
		t.Errorf("got %q", text)
	}
}

// TestKilledEngine starts this test binary as an engine that appends without end,
// kills it, and looks at what is left.
func TestKilledEngine(t *testing.T) {
	if dir := os.Getenv("STATE_TEST_DIR"); dir != "" {
		appendForever(dir)
	}
	t.Parallel()
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0], "-test.run=^TestKilledEngine$")
	cmd.Env = append(os.Environ(), "STATE_TEST_DIR="+dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	// The engine ends with this process, however that ends: its stdin closes.
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	// It says so when the first lines are in the log.
	if _, err := out.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	if _, err := state.Open(dir); err == nil || !strings.Contains(err.Error(), fmt.Sprint(cmd.Process.Pid)) {
		t.Errorf("got %v", err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // killed: that is the point
	begin(t, dir, "r2", "x")
	n := 0
	text := read(t, filepath.Join(dir, "history/r1/session.jsonl"))
	for line := range strings.Lines(text) {
		if want := fmt.Sprintf("%06d\n", n); line != want {
			t.Fatalf("line %d is %q", n, line)
		}
		n++
	}
	if n < 100 {
		t.Errorf("%d lines", n)
	}
}

// appendForever never returns.
func appendForever(dir string) {
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(1)
	}()
	d, err := state.Open(dir)
	if err == nil {
		_, err = d.Begin("r1")
	}
	for n := 0; err == nil; n++ {
		if n == 100 {
			fmt.Print(".")
		}
		err = d.Log().Append(fmt.Appendf(nil, "%06d", n%1_000_000))
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func BenchmarkAppend(b *testing.B) {
	d, err := state.Open(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	defer d.Close()
	if _, err := d.Begin("r"); err != nil {
		b.Fatal(err)
	}
	line := []byte(strings.Repeat("x", 200))
	for b.Loop() {
		if err := d.Log().Append(line); err != nil {
			b.Fatal(err)
		}
	}
}
