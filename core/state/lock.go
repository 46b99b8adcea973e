package state

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/gofrs/flock"
)

const lockFile = "lock"

// holder is the content of the lock file.
type holder struct {
	PID       int       `json:"pid"`
	StartedAt time.Time `json:"started_at"`
}

// LockedError says that another engine uses the state directory.
type LockedError struct {
	// Dir is the absolute path of the state directory.
	Dir string
	// PID and Since tell which engine it is: its process and when it started.
	// Both are zero when it has the lock but has not written them yet.
	PID   int
	Since time.Time
}

// Error names the other engine and the way out.
func (e *LockedError) Error() string {
	who := "another engine"
	if e.PID != 0 {
		who = fmt.Sprintf("the engine with pid %d, started %s", e.PID, e.Since.UTC().Format("2006-01-02 15:04:05 UTC"))
	}
	return fmt.Sprintf("state directory %s is in use by %s; wait for it, stop it, or name another directory with --state-dir", e.Dir, who)
}

// takeLock locks the file and writes into it who has it. The kernel gives the
// lock back when the process ends, however it ends; what is in the file is only
// for people.
func takeLock(root *os.Root, dir string) (*flock.Flock, error) {
	l := flock.New(filepath.Join(dir, lockFile),
		flock.SetFlag(os.O_CREATE|os.O_RDWR|syscall.O_NOFOLLOW), flock.SetPermissions(fileMode))
	got, err := l.TryLock()
	if err != nil {
		return nil, fmt.Errorf("take %s: %w", lockFile, cause(err))
	}
	if !got {
		h := readHolder(root)
		return nil, &LockedError{Dir: dir, PID: h.PID, Since: h.StartedAt}
	}
	text, err := json.Marshal(holder{os.Getpid(), time.Now().UTC().Truncate(time.Second)})
	if err == nil {
		err = writeLock(root, l, append(text, '\n'))
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("take %s: %w", lockFile, cause(err)), l.Unlock())
	}
	return l, nil
}

// writeLock replaces the content of the locked file. The new text goes over the
// old one before the rest is cut, so that a reader hardly ever finds nothing.
func writeLock(root *os.Root, l *flock.Flock, text []byte) error {
	f, err := openRegular(root, lockFile, os.O_WRONLY)
	if err != nil {
		return err
	}
	defer f.Close()
	locked, err := l.Stat()
	if err != nil {
		return err
	}
	if info, err := f.Stat(); err != nil || !os.SameFile(info, locked) {
		return errors.Join(err, errors.New("was replaced while it was being locked"))
	}
	if _, err := f.WriteAt(text, 0); err != nil {
		return err
	}
	return f.Truncate(int64(len(text)))
}

func readHolder(root *os.Root) holder {
	var h holder
	f, err := openRegular(root, lockFile, os.O_RDONLY)
	if err != nil {
		return h
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, 4096))
	if err != nil || json.Unmarshal(text, &h) != nil {
		return holder{}
	}
	return h
}

// releaseLock empties the file, so that nobody takes an old pid for a living one.
// The file itself stays: removing it would let two engines lock two files of one
// name.
func releaseLock(root *os.Root, l *flock.Flock) error {
	return errors.Join(writeLock(root, l, nil), l.Unlock())
}
