package state

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"

	"github.com/gofrs/flock"
	"github.com/google/renameio/v2"
)

const (
	dirMode  fs.FileMode = 0o700
	fileMode fs.FileMode = 0o600
)

// Dir is a state directory whose lock this process holds. Its methods are for
// one goroutine, but for those of the Log.
type Dir struct {
	path string
	root *os.Root
	lock *flock.Flock
	log  *Log
}

// Open creates the directory when it is not there and takes its lock. It fails
// with a *LockedError when another engine has it, and with an error that names
// the path and the cause when the directory cannot be used. The caller closes
// the Dir when the run is over; the lock ends with the process in any case.
func Open(path string) (*Dir, error) {
	d, err := open(path)
	if err != nil {
		if _, locked := errors.AsType[*LockedError](err); locked {
			return nil, err
		}
		return nil, fmt.Errorf("state directory %s: %w", path, cause(err))
	}
	return d, nil
}

func open(path string) (*Dir, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(abs, dirMode); err != nil {
		return nil, fmt.Errorf("create: %w", cause(err))
	}
	root, err := os.OpenRoot(abs)
	if err != nil {
		return nil, err
	}
	d := &Dir{path: abs, root: root}
	if d.lock, err = takeLock(root, abs); err != nil {
		return nil, errors.Join(err, root.Close())
	}
	if err := d.removeTemporary(); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// Path is the absolute path of the directory.
func (d *Dir) Path() string { return d.path }

// File is the absolute path of a file in it.
func (d *Dir) File(name string) string { return filepath.Join(d.path, name) }

// Log is the session log of the run that Begin or Continue opened, nil before.
func (d *Dir) Log() *Log { return d.log }

// Write replaces a file as a whole: whoever reads it sees the old or the new
// content, and the new one is on the disk when Write returns. A symbolic link of
// that name is replaced, not followed. When Write fails, the old content stays.
func (d *Dir) Write(name string, data []byte) error {
	if err := checkName(name); err != nil {
		return err
	}
	err := renameio.WriteFile(name, data, fileMode, renameio.WithRoot(d.root))
	if err == nil {
		err = d.syncDir(".")
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", d.File(name), cause(err))
	}
	return nil
}

// Scratch is the absolute path of a working directory, created when it is not
// there. Its content stays from run to run until the caller removes it.
func (d *Dir) Scratch(name string) (string, error) {
	if err := checkName(name); err != nil {
		return "", err
	}
	rel := filepath.Join(scratchDir, name)
	if err := d.mkdir(rel); err != nil {
		return "", fmt.Errorf("create %s: %w", d.File(rel), cause(err))
	}
	return d.File(rel), nil
}

// Close closes the log and gives the lock back.
func (d *Dir) Close() error {
	var errs []error
	if d.log != nil {
		errs = append(errs, d.log.Close())
	}
	return errors.Join(append(errs, releaseLock(d.root, d.lock), d.root.Close())...)
}

// mkdir makes every directory of a path in the state directory. What is there
// must be a directory, not a link to one.
func (d *Dir) mkdir(rel string) error {
	if err := d.root.MkdirAll(rel, dirMode); err != nil {
		return err
	}
	for p := rel; p != "."; p = filepath.Dir(p) {
		info, err := d.root.Lstat(p)
		if err != nil {
			return err
		}
		if !info.IsDir() {
			return fmt.Errorf("%s is a %s, remove it", d.File(p), describe(info.Mode()))
		}
	}
	return nil
}

// syncDir makes the names in a directory durable.
func (d *Dir) syncDir(rel string) error {
	f, err := d.root.Open(rel)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

var temporary = regexp.MustCompile(`^\..+\.json[0-9]+$`)

// removeTemporary removes what an engine that died in Write left.
func (d *Dir) removeTemporary() error {
	entries, err := fs.ReadDir(d.root.FS(), ".")
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Type().IsRegular() && temporary.MatchString(e.Name()) {
			if err := d.root.Remove(e.Name()); err != nil {
				return err
			}
		}
	}
	return nil
}
