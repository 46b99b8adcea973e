package gitmem

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
)

func writeRef(common *os.Root, name, id string) error {
	if err := writeSmall(common, name, id+"\n"); err != nil {
		return fmt.Errorf("write reference %s: %w", name, err)
	}
	return nil
}

// writeSmall writes a file unless it holds the text already, in place of
// whatever has its name, and removes a lock that was left on it.
func writeSmall(root *os.Root, name, text string) error {
	if have, err := readSmall(root, name); err == nil && string(have) == text {
		return nil
	}
	if err := makeParents(root, name); err != nil {
		return err
	}
	for _, taken := range []string{name, name + ".lock"} {
		if info, err := root.Lstat(taken); err == nil && (taken != name || info.IsDir()) {
			if err := removeIn(root, taken); err != nil {
				return err
			}
		}
	}
	if done, err := overwrite(root, name, strings.NewReader(text), int64(len(text))); done || err != nil {
		return err
	}
	return replaceFile(root, name, []byte(text), 0o666)
}

// overwrite writes into a file that is there, without a new one: making a file
// and renaming it over another costs a multiple. Nobody reads the visible
// repository meanwhile, and the next operation mends what a crash left torn.
// False means that there is no file that is surely the repository's own.
func overwrite(root *os.Root, name string, from io.Reader, size int64) (done bool, err error) {
	if info, err := root.Lstat(name); err != nil || !info.Mode().IsRegular() {
		return false, nil //nolint:nilerr // then it is made anew
	}
	f, err := root.OpenFile(name, os.O_WRONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return false, nil //nolint:nilerr // then it is made anew
	}
	info, err := f.Stat()
	if err != nil {
		return false, errors.Join(err, f.Close())
	}
	if st, ok := info.Sys().(*syscall.Stat_t); !ok || !info.Mode().IsRegular() || st.Nlink != 1 {
		return false, f.Close()
	}
	_, err = io.Copy(f, from)
	if err == nil && info.Size() != size {
		err = f.Truncate(size)
	}
	return true, errors.Join(err, f.Close())
}
