package proc

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// startListed starts a process that runs no instruction of its program before
// listed has put it on the guard's list: what a child has started by then would outlive this
// program if that were killed just then. The process is traced up to its exec,
// at which the kernel stops it. A system that allows no tracing, or a program
// that is itself traced by another, starts it without the stop.
//
// The calling goroutine must be locked to its thread: only that one may let the
// process go.
func startListed(path string, args []string, attr *os.ProcAttr, listed func(pid int)) (*os.Process, error) {
	held := *attr.Sys
	held.Ptrace = true
	traced := *attr
	traced.Sys = &held
	process, err := startProcess(path, args, &traced)
	if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.ENOSYS) {
		process, err = startProcess(path, args, attr)
		if err != nil {
			return nil, err
		}
		listed(process.Pid)
		return process, nil
	}
	if err != nil {
		return nil, err
	}
	awaitStop(process.Pid)
	listed(process.Pid)
	// The one fault there can be is that the child is dead.
	_ = syscall.PtraceDetach(process.Pid)
	return process, nil
}

// awaitStop blocks until the child has stopped or died, and takes nothing from
// whoever waits for its end.
func awaitStop(pid int) {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WSTOPPED|unix.WNOWAIT|unix.WALL, nil)
		if !errors.Is(err, syscall.EINTR) {
			return
		}
	}
}
