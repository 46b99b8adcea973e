//go:build linux

package proc_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/crucible-engine/crucible/sdk/proc"
)

func TestStop(t *testing.T) {
	t.Parallel()
	const forever = "sleep 600"
	tests := []struct {
		name   string
		script string
		limit  func(context.Context, *proc.Command) (context.Context, context.CancelFunc)
		want   proc.Exit
	}{
		{
			name: "canceled", script: "echo up; exec " + forever, limit: cancelAtFirstLine,
			want: proc.Exit{Code: -1, Signal: syscall.SIGTERM, Canceled: true},
		},
		{
			name: "timeout", script: "exec " + forever, limit: timeout,
			want: proc.Exit{Code: -1, Signal: syscall.SIGTERM, TimedOut: true},
		},
		{
			name: "deadline", script: "exec " + forever, limit: deadline,
			want: proc.Exit{Code: -1, Signal: syscall.SIGTERM, TimedOut: true},
		},
		{
			name: "ignores SIGTERM", script: "trap '' TERM; echo up; " + forever, limit: cancelAtFirstLine,
			want: proc.Exit{Code: -1, Signal: syscall.SIGKILL, Canceled: true},
		},
		{
			name: "grandchild ignores SIGTERM", script: "(trap '' TERM; echo up; " + forever + ") & wait", limit: cancelAtFirstLine,
			want: proc.Exit{Code: -1, Signal: syscall.SIGTERM, Canceled: true},
		},
		{
			name: "cleans up", script: "trap 'exit 3' TERM; echo up; " + forever + " & wait", limit: cancelAtFirstLine,
			want: proc.Exit{Code: 3, Canceled: true},
		},
		{
			name: "stopped", script: "echo up; kill -STOP $$", limit: cancelAtFirstLine,
			want: proc.Exit{Code: -1, Signal: syscall.SIGTERM, Canceled: true},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := script(test.script)
			c.Grace = 300 * time.Millisecond
			ctx, cancel := test.limit(t.Context(), &c)
			defer cancel()
			p, err := proc.Start(ctx, c)
			if err != nil {
				t.Fatal(err)
			}
			exit, err := p.Wait()
			if err != nil {
				t.Fatal(err)
			}
			if exit != test.want {
				t.Errorf("got %+v, want %+v", exit, test.want)
			}
			wantNoGroup(t, p.Pid())
		})
	}
}

func cancelAtFirstLine(parent context.Context, c *proc.Command) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(parent)
	c.Stdout = func(proc.Line) { cancel() }
	return ctx, cancel
}

func timeout(parent context.Context, c *proc.Command) (context.Context, context.CancelFunc) {
	c.Timeout = 50 * time.Millisecond
	return parent, func() {}
}

func deadline(parent context.Context, _ *proc.Command) (context.Context, context.CancelFunc) {
	return context.WithTimeout(parent, 50*time.Millisecond)
}

// wantNoGroup checks that no process of the group runs. Zombies are not ours to
// reap: in a container process 1 may not do it.
func wantNoGroup(t *testing.T, pid int) {
	t.Helper()
	stats, err := exec.Command("sh", "-c", "cat /proc/[0-9]*/stat 2>/dev/null").Output()
	if len(stats) == 0 {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(stats)) {
		fields := strings.Fields(line[strings.LastIndexByte(line, ')')+1:])
		if fields[2] == strconv.Itoa(pid) && fields[0] != "Z" {
			t.Errorf("still alive: %s", line)
		}
	}
}

// The child's own children get the whole grace, even when the child itself
// ends at once.
func TestGraceIsTheGroups(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var out []string
	c := script("(trap 'sleep 0.6; echo saved; exit' TERM; echo up; sleep 600 & wait) & wait")
	c.Stdout = func(line proc.Line) { out = append(out, line.Text); cancel() }
	if _, err := proc.Run(ctx, c); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(out, "|"); got != "up|saved" {
		t.Errorf("output: got %q, want up|saved", got)
	}
}

func TestGrandchildHoldsOutput(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, script string
		escapes      bool
	}{
		{name: "in the group", script: "sleep 600 & echo $!"},
		{name: "output closed", script: "sleep 600 >/dev/null 2>&1 & echo $!"},
		// What leaves the group is out of reach: it keeps running, but nobody waits
		// for it.
		{name: "session of its own", script: "setsid sh -c 'echo $$; exec sleep 600' & sleep 0.2", escapes: true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var got record
			begin := time.Now()
			exit, err := proc.Run(t.Context(), got.attach(script(test.script)))
			if err != nil || !exit.Success() {
				t.Fatalf("got %v, %v", exit, err)
			}
			if took := time.Since(begin); took > 5*time.Second {
				t.Errorf("Wait took %v", took)
			}
			pid, err := strconv.Atoi(texts(got.out))
			if err != nil {
				t.Fatal(err)
			}
			if test.escapes {
				if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
					t.Errorf("kill what escaped: %v", err)
				}
				return
			}
			wantDead(t, pid)
		})
	}
}

// wantDead checks that a process is gone or a zombie.
func wantDead(t *testing.T, pid int) {
	t.Helper()
	if !dead(pid) {
		t.Errorf("process %d is alive", pid)
	}
}

func dead(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err != nil || strings.Contains(string(stat), ") Z ")
}

func TestKill(t *testing.T) {
	t.Parallel()
	p, err := proc.Start(t.Context(), script("trap '' TERM; sleep 600"))
	if err != nil {
		t.Fatal(err)
	}
	p.Kill()
	exit, err := p.Wait()
	if want := (proc.Exit{Code: -1, Signal: syscall.SIGKILL}); err != nil || exit != want {
		t.Errorf("got %+v, %v, want %+v", exit, err, want)
	}
	p.Kill()
	<-p.Done()
}

func TestFailedWriterStopsTheChild(t *testing.T) {
	t.Parallel()
	full := errors.New("full")
	c := script("echo x; exec sleep 600")
	c.StdoutTo = writerFunc(func([]byte) (int, error) { return 0, full })
	_, err := proc.Run(t.Context(), c)
	if !errors.Is(err, full) {
		t.Errorf("got %v, want it to wrap %v", err, full)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

var _ io.Writer = writerFunc(nil)

// The parent is killed with SIGKILL and can do nothing; its child and what the
// child started must die all the same.
func TestParentKilled(t *testing.T) {
	t.Parallel()
	parent := exec.Command(os.Args[0])
	parent.Env = append(os.Environ(), roleVariable+"=parent")
	out, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	var child, grandchild int
	if _, err := fmt.Sscan(line, &child, &grandchild); err != nil {
		t.Fatalf("%q: %v", line, err)
	}
	if dead(child) || dead(grandchild) {
		t.Fatal("dead before the parent was killed")
	}
	_ = parent.Process.Kill()
	_ = parent.Wait()
	for begin := time.Now(); !dead(child) || !dead(grandchild); {
		if time.Since(begin) > 10*time.Second {
			t.Fatalf("outlives its parent: child %d %v, grandchild %d %v", child, !dead(child), grandchild, !dead(grandchild))
		}
	}
}

// A parent that is killed while it starts others leaves nothing either, however
// far the starts have come.
func TestParentKilledWhileStarting(t *testing.T) {
	t.Parallel()
	for round := range 10 {
		seconds := fmt.Sprintf("600.%d%03d", os.Getpid(), round)
		parent := exec.Command(os.Args[0])
		parent.Env = append(os.Environ(), roleVariable+"=parent of many", nonceVariable+"="+seconds)
		if err := parent.Run(); err == nil {
			t.Fatal("the parent was not killed")
		}
		for begin := time.Now(); ; {
			left := commandLines(t, seconds)
			if len(left) == 0 {
				break
			}
			if time.Since(begin) > 10*time.Second {
				t.Fatalf("round %d: left behind: %q", round, left)
			}
		}
	}
}

// commandLines is the command line of every process that mentions the text.
func commandLines(t *testing.T, text string) []string {
	t.Helper()
	names, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, name := range names {
		if line, err := os.ReadFile(name); err == nil && strings.Contains(string(line), text) {
			found = append(found, string(line))
		}
	}
	return found
}
