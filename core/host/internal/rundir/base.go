package rundir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// MaxBase is the most bytes that the path of a base directory may have. The path
// of a socket has at most 107 on Linux; go-plugin adds a directory and a file
// name of 38 in all, and the run's own name with its slash takes 9.
const MaxBase = 60

// Base is the directory that holds the run directories of this user:
// XDG_RUNTIME_DIR/crucible, or /tmp/cr-UID where there is no usable
// XDG_RUNTIME_DIR. It is created with mode 0700.
func Base(getenv func(string) string) (string, error) {
	base := filepath.Join("/tmp", "cr-"+strconv.Itoa(os.Geteuid()))
	if dir := getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(dir) && private(dir) == nil {
		base = filepath.Join(dir, "crucible")
	}
	return base, Prepare(base)
}

// Prepare makes base a directory that only this user can enter, or says why it
// cannot be one.
func Prepare(base string) error {
	if len(base) > MaxBase {
		return fmt.Errorf("run directory: %s has %d bytes, at most %d leave room for the path of a socket; set XDG_RUNTIME_DIR to a shorter directory",
			base, len(base), MaxBase)
	}
	if err := os.Mkdir(base, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("run directory: %w", err)
	}
	if err := private(base); err != nil {
		return fmt.Errorf("run directory: %w", err)
	}
	return nil
}

// private wants a real directory of this user that nobody else can enter: in
// /tmp anybody can create the name first.
func private(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is not a directory", dir)
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok && int(stat.Uid) != os.Geteuid() {
		return fmt.Errorf("%s belongs to another user (uid %d)", dir, stat.Uid)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return fmt.Errorf("%s can be entered by other users (mode %04o); chmod 700 %s", dir, info.Mode().Perm(), dir)
	}
	return nil
}
