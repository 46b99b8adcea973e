package proc

import (
	"errors"
	"math"
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// child is the process that was started, not yet reaped: until then its id and
// that of its group cannot be given to others.
type child struct {
	pid     int
	process *os.Process
}

// await blocks until the child has ended, and leaves it as a zombie.
func (c *child) await() {
	for {
		err := unix.Waitid(unix.P_PID, c.pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, syscall.EINTR) {
			return
		}
	}
}

// reap frees the process id.
func (c *child) reap() (*os.ProcessState, error) { return c.process.Wait() }

func processAttributes() *syscall.SysProcAttr {
	attr := ownGroup()
	attr.Pdeathsig = syscall.SIGKILL
	return attr
}

// sealDescriptors marks all descriptors of this program close-on-exec. Go opens
// its own that way; this is for those that were inherited or opened by C code.
// The marks do not reach what is passed on as a child's descriptor.
func sealDescriptors() {
	if unix.CloseRange(3, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC) == nil {
		return
	}
	entries, _ := os.ReadDir("/proc/self/fd") // kernels before 5.11
	for _, entry := range entries {
		if fd, err := strconv.Atoi(entry.Name()); err == nil && fd > 2 {
			syscall.CloseOnExec(fd)
		}
	}
}

// groupLives reports whether a process of the group runs, zombies not counted.
func groupLives(group int) bool {
	found := false
	eachProcess(func(_ int, stat procStat) bool {
		found = stat.group == group && stat.state != 'Z' && stat.state != 'X'
		return !found
	})
	return found
}
