//go:build unix

package proc

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// startChild starts the command with these descriptors in a group of its own.
func startChild(c Command, files []*os.File) (*child, error) {
	path := c.Path
	if !strings.Contains(path, "/") {
		found, err := exec.LookPath(path)
		if err != nil {
			return nil, &StartError{Path: path, Err: unwrapLookup(err)}
		}
		path = found
	}
	guard := theGuard()
	sealDescriptors()
	attr := &os.ProcAttr{Dir: c.Dir, Env: c.Env, Files: files, Sys: processAttributes()}
	guard.starts.RLock()
	process, err := startListed(path, c.Args, attr, func(pid int) { guard.add(pid, c.Lasting) })
	guard.starts.RUnlock()
	if err != nil {
		return nil, startError(c, err)
	}
	return &child{pid: process.Pid, process: process}, nil
}

// ownGroup makes the child the leader of a group. When this program has a
// terminal, the child leads a session, too, and so has none: what asks for a
// password then fails at once, while in another group of the terminal's session
// it would be stopped and never heard of again. A session costs Linux as much as
// the rest of a short process, so there is none without need; a plugin, for one,
// was itself started that way.
func ownGroup() *syscall.SysProcAttr {
	if hasTerminal() {
		return &syscall.SysProcAttr{Setsid: true}
	}
	return &syscall.SysProcAttr{Setpgid: true}
}

// hasTerminal reports whether this program, and with it a child in its session,
// can reach a terminal.
func hasTerminal() bool {
	fd, err := syscall.Open("/dev/tty", syscall.O_RDWR|syscall.O_NOCTTY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return false
	}
	_ = syscall.Close(fd)
	return true
}

// bury frees the id of a child that has ended and whose group was killed. It is
// off the guard's list before its id can become another's.
func (c *child) bury() (*os.ProcessState, error) {
	guard := theGuard()
	guard.starts.RLock()
	defer guard.starts.RUnlock()
	guard.remove(c.pid)
	return c.reap()
}

// sweepOrphans kills what left its group, where that can be known.
func sweepOrphans() { theGuard().sweepOrphans() }

// startProcess tries again while a file that was just written is busy: another
// thread may have forked while we held it open for writing, and holds it until
// it executes its own program.
func startProcess(path string, args []string, attr *os.ProcAttr) (*os.Process, error) {
	pause := time.Millisecond
	for {
		process, err := os.StartProcess(path, args, attr)
		if !errors.Is(err, syscall.ETXTBSY) || pause > 100*time.Millisecond {
			return process, err
		}
		time.Sleep(pause)
		pause *= 2
	}
}

// startError finds out whether the program or the directory was at fault: the
// system has one error for both.
func startError(c Command, err error) error {
	fault := &StartError{Path: c.Path, Err: err}
	var path *os.PathError
	if errors.As(err, &path) {
		fault.Err = path.Err
	}
	if c.Dir == "" {
		return fault
	}
	info, statErr := os.Stat(c.Dir)
	switch {
	case errors.As(statErr, &path):
		fault.Dir, fault.Err = c.Dir, path.Err
	case statErr == nil && !info.IsDir():
		fault.Dir, fault.Err = c.Dir, syscall.ENOTDIR
	}
	return fault
}

func unwrapLookup(err error) error {
	var lookup *exec.Error
	if errors.As(err, &lookup) {
		return lookup.Err
	}
	return err
}

// drain copies what the pipe holds now, without waiting for more. The bound is
// the largest pipe that a process without privileges can have.
func drain(to io.Writer, from *os.File, buf []byte) error {
	conn, err := from.SyscallConn()
	if err != nil {
		return nil // closed: nothing to take
	}
	for left := 1 << 20; left > 0; {
		var n int
		err := conn.Control(func(fd uintptr) { n, _ = syscall.Read(int(fd), buf) })
		if err != nil || n <= 0 {
			return nil
		}
		if _, err := to.Write(buf[:n]); err != nil {
			return err
		}
		left -= n
	}
	return nil
}

// signalGroup signals a whole group. A group that is gone is no fault.
func signalGroup(pid int, signal syscall.Signal) { _ = syscall.Kill(-pid, signal) }

// wakeGroup lets stopped processes see their signals.
func wakeGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGCONT) }

// groupGone reports whether no process is left. A zombie is one, too.
func groupGone(pid int) bool { return errors.Is(syscall.Kill(-pid, 0), syscall.ESRCH) }
