package proc

import (
	"fmt"
	"syscall"
)

// Exit says how a child ended.
type Exit struct {
	// Code is the exit status, -1 when a signal ended the child.
	Code int
	// Signal is the signal that ended the child, zero when it exited.
	Signal syscall.Signal
	// TimedOut says that the child was stopped because Timeout or the deadline
	// of the context passed. Code and Signal then say how it took the stop.
	TimedOut bool
	// Canceled says that the child was stopped because the context was canceled.
	Canceled bool
}

// Success reports whether the child ended by itself with status 0.
func (e Exit) Success() bool {
	return e.Code == 0 && e.Signal == 0 && !e.TimedOut && !e.Canceled
}

// String says how the child ended, for an error or a note: "exit status 3".
func (e Exit) String() string {
	switch {
	case e.TimedOut:
		return "timed out"
	case e.Canceled:
		return "canceled"
	case e.Signal != 0:
		return fmt.Sprintf("killed by signal %d (%v)", int(e.Signal), e.Signal)
	default:
		return fmt.Sprintf("exit status %d", e.Code)
	}
}

// StartError says that a child could not be started: no such program, no such
// directory, a limit of the system. Nothing ran.
type StartError struct {
	// Path is the program.
	Path string
	// Dir is the working directory that was asked for, when that was at fault.
	Dir string
	// Err is the cause.
	Err error
}

// Error names the program and, when it was at fault, the directory.
func (e *StartError) Error() string {
	if e.Dir != "" {
		return fmt.Sprintf("start %s: working directory %s: %v", e.Path, e.Dir, e.Err)
	}
	return fmt.Sprintf("start %s: %v", e.Path, e.Err)
}

// Unwrap gives the cause.
func (e *StartError) Unwrap() error { return e.Err }
