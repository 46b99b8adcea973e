package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// guarded starts a guard and becomes the agent, whose command is $1. Descriptor
// 3 is a pipe of which only this program holds the other end. When that ends, by
// whatever death, the guard kills the group that both are in. The polite signal
// is not for the guard.
const guarded = `(trap '' TERM; read -r x <&3; kill -s KILL 0) >/dev/null 2>&1 & exec 3<&-; exec /bin/sh -c "$1"`

// agent is a shell that leads a group of processes.
type agent struct {
	cmd      *exec.Cmd
	lifeline io.Closer
	exited   chan struct{} // closed when the shell itself has ended
}

// agentCommand is what startAgent starts.
func agentCommand(script string) *exec.Cmd {
	return exec.Command("/bin/sh", "-c", guarded, "sh", script)
}

// startAgent starts an agentCommand.
func startAgent(cmd *exec.Cmd) (*agent, error) {
	guards, lifeline, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer guards.Close()
	cmd.ExtraFiles = []*os.File{guards}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		lifeline.Close()
		return nil, err
	}
	a := &agent{cmd: cmd, lifeline: lifeline, exited: make(chan struct{})}
	go func() {
		defer close(a.exited)
		_ = cmd.Wait() // its status is read from ProcessState
	}()
	return a, nil
}

func (a *agent) group() int { return a.cmd.Process.Pid }

// terminate asks the agent to end.
func (a *agent) terminate() { _ = syscall.Kill(-a.group(), syscall.SIGTERM) }

// kill kills what is left of the group, the guard at least, and returns when
// nothing of it runs.
func (a *agent) kill() {
	_ = syscall.Kill(-a.group(), syscall.SIGKILL)
	for populated(a.group()) {
		time.Sleep(2 * time.Millisecond)
	}
	_ = a.lifeline.Close()
}

// populated reports whether a process of the group runs; a zombie does not.
func populated(group int) bool {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, name := range stats {
		stat, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		// After the name in parentheses: state, parent, group.
		fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
		if len(fields) > 2 && string(fields[2]) == strconv.Itoa(group) && fields[0][0] != 'Z' && fields[0][0] != 'X' {
			return true
		}
	}
	return false
}

// status is the exit status as a shell gives it.
func (a *agent) status() (code int, note string) {
	state := a.cmd.ProcessState
	if ws, ok := state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return 128 + int(ws.Signal()), state.String()
	}
	if state.ExitCode() != 0 {
		note = fmt.Sprint("exit ", state.ExitCode())
	}
	return state.ExitCode(), note
}
