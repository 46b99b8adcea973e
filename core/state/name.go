package state

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"
)

// checkName refuses what is not the name of a file in a directory.
func checkName(name string) error {
	if name == "" || name == "." || name == ".." || len(name) > 128 || strings.ContainsAny(name, "/\\\x00\n") {
		return fmt.Errorf("state file %q: not a plain name of at most 128 bytes", name)
	}
	return nil
}

// cause is err without the operation and the path that package os adds, when the
// caller names both itself.
func cause(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok && e == err {
		return plain(e.Err)
	}
	if e, ok := errors.AsType[*os.LinkError](err); ok && e == err {
		return plain(e.Err)
	}
	return err
}

func plain(err error) error {
	if errors.Is(err, syscall.ELOOP) {
		return errors.New("is a symbolic link, remove it")
	}
	return err
}

// describe names a kind of file.
func describe(mode fs.FileMode) string {
	switch {
	case mode&fs.ModeSymlink != 0:
		return "symbolic link"
	case mode.IsDir():
		return "directory"
	case mode.IsRegular():
		return "regular file"
	default:
		return "special file"
	}
}
