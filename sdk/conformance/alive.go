package conformance

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// signal sends a signal to the plugin's process alone.
func (p *process) signal(t T, s os.Signal) {
	t.Helper()
	process, err := os.FindProcess(p.child.Pid())
	if err == nil {
		err = process.Signal(s)
	}
	if err != nil {
		t.Fatalf("send %v to the plugin: %v", s, err)
	}
}

// alive reports whether a process runs. A zombie that nobody has reaped does not.
func alive(pid int) bool {
	process, err := os.FindProcess(pid)
	if err != nil || process.Signal(syscall.Signal(0)) != nil {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		_, noProc := os.Stat("/proc/self/stat")
		return noProc != nil // a system without /proc, else it has just ended
	}
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	return len(fields) > 0 && fields[0][0] != 'Z' && fields[0][0] != 'X'
}

// endAll kills what a plugin has left behind in a workspace, so that a failed
// case does not leave it to whoever runs the suite. The ids that were written
// down may be those of another namespace, so it looks for processes that work
// there; a system without /proc keeps them.
func endAll(workspace string) {
	here, err := filepath.EvalSymlinks(workspace)
	if err != nil {
		return
	}
	places, _ := filepath.Glob("/proc/[0-9]*/cwd") // the pattern is well formed
	for _, place := range places {
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(place)))
		if at, linkErr := os.Readlink(place); err != nil || linkErr != nil || at != here {
			continue
		}
		if process, err := os.FindProcess(pid); err == nil {
			_ = process.Kill()
		}
	}
}

// processFiles is where scripts of this suite write the ids of the processes
// that they start, one per file.
const processFiles = "pid-"

// leavesNone fails the case when a process that a script of the workspace has
// written down still runs after limit.
func leavesNone(t T, workspace string, limit time.Duration) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(workspace, processFiles+"*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("the agent has written no process ids: %v", err)
	}
	left := false
	deadline := time.Now().Add(limit)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatalf("%v", err)
		}
		pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		// No other end of a foreign process can be waited for than by looking.
		for alive(pid) {
			if time.Now().After(deadline) {
				t.Errorf("process %d (%s) still runs", pid, filepath.Base(file))
				left = true
				break
			}
			time.Sleep(5 * time.Millisecond)
		}
	}
	if left {
		endAll(workspace)
	}
}
