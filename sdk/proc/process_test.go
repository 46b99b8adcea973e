//go:build linux

package proc_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/crucible-engine/crucible/sdk/proc"
)

// record is what a child wrote.
type record struct{ out, err []proc.Line }

func (r *record) attach(c proc.Command) proc.Command {
	c.Stdout = func(line proc.Line) { r.out = append(r.out, line) }
	c.Stderr = func(line proc.Line) { r.err = append(r.err, line) }
	return c
}

func texts(lines []proc.Line) string {
	var all []string
	for _, line := range lines {
		all = append(all, line.Text)
	}
	return strings.Join(all, "|")
}

// script is a shell script with a usable PATH.
func script(text string) proc.Command {
	c := proc.Shell(text)
	c.Env = []string{"PATH=" + os.Getenv("PATH")}
	return c
}

func TestRun(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		command  proc.Command
		out, err string
		exit     proc.Exit
	}{
		{name: "success", command: script("echo a; echo b >&2; echo c"), out: "a|c", err: "b"},
		{name: "status", command: script("exit 7"), exit: proc.Exit{Code: 7}},
		{name: "signal", command: script("kill -9 $$"), exit: proc.Exit{Code: -1, Signal: syscall.SIGKILL}},
		{name: "no line end at the end", command: script("printf 'a\\n\\nb'"), out: "a||b"},
		{name: "carriage returns", command: script("printf 'a\\r\\nb\\rc\\n'"), out: "a|b\rc"},
		{
			name:    "stdin",
			command: func() proc.Command { c := script("cat"); c.Stdin = strings.NewReader("x\ny"); return c }(),
			out:     "x|y",
		},
		{
			name:    "stdin that is not read",
			command: func() proc.Command { c := script("exit 0"); c.Stdin = endless{}; return c }(),
		},
		{name: "no stdin", command: script("cat")},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var got record
			exit, err := proc.Run(t.Context(), got.attach(test.command))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.exit, exit); diff != "" {
				t.Errorf("exit (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff([]string{test.out, test.err}, []string{texts(got.out), texts(got.err)}); diff != "" {
				t.Errorf("output (-want +got):\n%s", diff)
			}
		})
	}
}

// endless is an input without end.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

func TestStartErrors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	missing := filepath.Join(dir, "missing")
	tests := []struct {
		name    string
		command proc.Command
		want    proc.StartError
	}{
		{"no program", proc.Command{Path: missing}, proc.StartError{Path: missing, Err: syscall.ENOENT}},
		{"not executable", proc.Command{Path: file}, proc.StartError{Path: file, Err: syscall.EACCES}},
		{"no directory", proc.Command{Path: "/bin/sh", Dir: missing}, proc.StartError{Path: "/bin/sh", Dir: missing, Err: syscall.ENOENT}},
		{"directory is a file", proc.Command{Path: "/bin/sh", Dir: file}, proc.StartError{Path: "/bin/sh", Dir: file, Err: syscall.ENOTDIR}},
		{"zero byte in the environment", proc.Command{Path: "/bin/sh", Env: []string{"A=\x00"}}, proc.StartError{Path: "/bin/sh", Err: syscall.EINVAL}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := proc.Run(t.Context(), test.command)
			var got *proc.StartError
			if !errors.As(err, &got) {
				t.Fatalf("got %v, want a StartError", err)
			}
			if got.Path != test.want.Path || got.Dir != test.want.Dir || !errors.Is(got.Err, test.want.Err) {
				t.Errorf("got %+v, want %+v", got, test.want)
			}
		})
	}
}

func TestContextEndedBeforeStart(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := proc.Run(ctx, script("exit 0"))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want it to wrap context.Canceled", err)
	}
}

func TestEnvironmentIsExact(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		env  []string
		want string
	}{
		{"nil is empty", nil, ""},
		{"as given", []string{"B=2", "A=1", "B=3", "odd"}, "B=2|A=1|B=3|odd"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var got record
			c := got.attach(proc.Command{Path: "env", Env: test.env})
			if _, err := proc.Run(t.Context(), c); err != nil {
				t.Fatal(err)
			}
			if texts(got.out) != test.want {
				t.Errorf("got %q, want %q", texts(got.out), test.want)
			}
		})
	}
}

// A descriptor that was opened without close-on-exec, as one inherited from the
// program that started us would be, must not reach the child.
func TestChildSeesThreeDescriptors(t *testing.T) {
	leak, err := syscall.Dup(2)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(leak)
	extra, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer extra.Close()
	for want, files := range map[string][]*os.File{"0|1|2": nil, "0|1|2|3": {extra}} {
		var got record
		c := got.attach(script("ls /proc/$$/fd; exit 0"))
		c.ExtraFiles = files
		if _, err := proc.Run(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		if texts(got.out) != want {
			t.Errorf("descriptors: got %s, want %s", texts(got.out), want)
		}
	}
}

func TestOpenDescriptorsDoNotGrow(t *testing.T) {
	count := func() int {
		entries, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		return len(entries)
	}
	run := func() {
		var got record
		c := got.attach(script("cat; echo x >&2"))
		c.Stdin = strings.NewReader("x")
		if _, err := proc.Run(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		_, _ = proc.Run(t.Context(), got.attach(proc.Command{Path: "/nowhere"}))
	}
	run()
	before := count()
	for range 20 {
		run()
	}
	if after := count(); after > before {
		t.Errorf("open descriptors: %d before, %d after", before, after)
	}
}

func TestLongCallIsNotCutShort(t *testing.T) {
	t.Parallel()
	var lines int
	c := script("seq 2000")
	gate := make(chan struct{})
	timer := time.AfterFunc(600*time.Millisecond, func() { close(gate) })
	defer timer.Stop()
	c.Stdout = func(proc.Line) { <-gate; lines++ }
	if _, err := proc.Run(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if lines != 2000 {
		t.Errorf("lines: got %d, want 2000", lines)
	}
}

// A reader that fails when nobody waits any more must not disturb what Wait has
// answered.
func TestReaderThatComesLate(t *testing.T) {
	t.Parallel()
	r, w := io.Pipe()
	c := script("exit 0")
	c.Stdin = r
	p, err := proc.Start(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if exit, err := p.Wait(); err != nil || !exit.Success() {
		t.Fatalf("got %v, %v", exit, err)
	}
	w.CloseWithError(errors.New("late"))
	if exit, err := p.Wait(); err != nil || !exit.Success() {
		t.Errorf("afterwards: got %v, %v", exit, err)
	}
}
