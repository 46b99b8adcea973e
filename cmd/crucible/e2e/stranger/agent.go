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

// guardScript keeps a group of processes from outliving this program: its stdin
// is a pipe that only this program holds, and when that ends, by whatever death,
// it kills its own group. The polite signal is for the agent.
const guardScript = `trap '' TERM; read -r nothing; kill -s KILL 0`

// agent is a shell in the group of its guard.
type agent struct {
	cmd, guard *exec.Cmd
	lifeline   io.Closer
	exited     chan struct{} // closed when the shell itself has ended
}

// startAgent starts the guard and then, in its group, the agent.
func startAgent(cmd *exec.Cmd) (*agent, error) {
	guard := exec.Command("/bin/sh", "-c", guardScript)
	guard.Env, guard.SysProcAttr = []string{}, &syscall.SysProcAttr{Setpgid: true}
	lifeline, err := guard.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := guard.Start(); err != nil {
		return nil, err
	}
	a := &agent{cmd: cmd, guard: guard, lifeline: lifeline, exited: make(chan struct{})}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pgid: a.group()}
	if err := cmd.Start(); err != nil {
		a.kill()
		return nil, err
	}
	go func() {
		defer close(a.exited)
		_ = cmd.Wait() // its status is read from ProcessState
	}()
	return a, nil
}

func (a *agent) group() int { return a.guard.Process.Pid }

// terminate asks the agent to end.
func (a *agent) terminate() { _ = syscall.Kill(-a.group(), syscall.SIGTERM) }

// kill kills what is left of the group and returns when nothing of it runs. The
// guard is waited for last: until then the group's number is taken.
func (a *agent) kill() {
	_ = syscall.Kill(-a.group(), syscall.SIGKILL)
	for populated(a.group()) {
		time.Sleep(2 * time.Millisecond)
	}
	_ = a.lifeline.Close()
	_ = a.guard.Wait()
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
