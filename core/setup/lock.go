package setup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// ErrWorkspaceInUse: another engine works in the workspace, with another state
// directory. Each would measure what the other one's agent does.
var ErrWorkspaceInUse = errors.New("another engine is using the workspace")

// lockWorkspace holds the workspace's directory itself, so that nothing has to be
// written into it. The lock ends with the process. A directory that does not
// exist yet is nil without an error.
func lockWorkspace(dir string) (*os.File, error) {
	const flags = os.O_RDONLY | syscall.O_DIRECTORY | syscall.O_NONBLOCK
	f, err := os.OpenFile(dir, flags, 0)
	if errors.Is(err, fs.ErrPermission) && os.Chmod(dir, 0o700) == nil {
		f, err = os.OpenFile(dir, flags, 0) // an agent of an earlier run has closed it
	}
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil, nil // opening the workspace makes it, or says what is wrong
	}
	if err != nil {
		return nil, fmt.Errorf("lock the workspace: %w", err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		if errors.Is(err, syscall.EWOULDBLOCK) {
			err = ErrWorkspaceInUse
		}
		return nil, errors.Join(fmt.Errorf("%w: %s", err, dir), f.Close())
	}
	return f, nil
}
