package rundir

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

const (
	lockSuffix = ".lock"
	nameLength = 8
	attempts   = 100 // names that Create tries
)

// Dir is the directory of one run.
type Dir struct {
	path string
	lock *flock.Flock
}

// Create makes a new directory with mode 0700 below base. The caller must Close
// it.
func Create(base string) (*Dir, error) {
	for range attempts {
		path := filepath.Join(base, strings.ToLower(rand.Text()[:nameLength]))
		lock, err := acquire(path + lockSuffix)
		if err != nil {
			return nil, fmt.Errorf("create run directory: %w", err)
		}
		if lock == nil {
			continue // the name is another run's
		}
		err = os.Mkdir(path, 0o700)
		if err == nil {
			err = os.WriteFile(path+lockSuffix, fmt.Appendf(nil, "pid %d started %s\n", os.Getpid(), time.Now().UTC().Format(time.RFC3339)), 0o600)
		}
		if err == nil {
			return &Dir{path: path, lock: lock}, nil
		}
		release(lock)
		if !errors.Is(err, fs.ErrExist) {
			return nil, fmt.Errorf("create run directory: %w", err)
		}
	}
	return nil, fmt.Errorf("create run directory: no free name in %s after %d attempts", base, attempts)
}

// Path is where the directory is.
func (d *Dir) Path() string { return d.path }

// Close removes the directory with all that is in it.
func (d *Dir) Close() error {
	err := os.RemoveAll(d.path)
	release(d.lock)
	if err != nil {
		return fmt.Errorf("remove run directory: %w", err)
	}
	return nil
}

// acquire creates and locks a lock file. It gives nil when another holds it, or
// when a sweep removed the file between its creation and its locking: the lock
// would then be on a file that nobody can find.
func acquire(path string) (*flock.Flock, error) {
	lock := flock.New(path, flock.SetPermissions(0o600))
	ok, err := lock.TryLock()
	if err != nil || !ok {
		_ = lock.Close()
		return nil, err
	}
	held, heldErr := lock.Stat()
	named, namedErr := os.Lstat(path)
	if heldErr != nil || namedErr != nil || !os.SameFile(held, named) {
		_ = lock.Close()
		return nil, nil
	}
	return lock, nil
}

// release removes a lock file while it is still locked, so that nobody can lock
// it in between.
func release(lock *flock.Flock) {
	_ = os.Remove(lock.Path())
	_ = lock.Close()
}
