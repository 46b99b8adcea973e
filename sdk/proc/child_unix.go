//go:build unix && !linux

package proc

import (
	"os"
	"syscall"
)

// child is the process that was started. These systems have no portable way to
// wait without reaping, so the id of the group is free once the child and all
// of its group have ended; a signal sent then could in theory hit others.
type child struct {
	pid     int
	process *os.Process
	state   *os.ProcessState
	err     error
}

// await blocks until the child has ended.
func (c *child) await() { c.state, c.err = c.process.Wait() }

// reap says how it ended.
func (c *child) reap() (*os.ProcessState, error) { return c.state, c.err }

func processAttributes() *syscall.SysProcAttr { return ownGroup() }

// sealDescriptors does nothing: Go opens its own descriptors close-on-exec.
func sealDescriptors() {}

// groupLives reports whether a process of the group is left.
func groupLives(pid int) bool { return !groupGone(pid) }
