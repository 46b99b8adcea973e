package inject

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// removedPrefix names directories that are about to go. World.Restore cleans
// them up should the engine be killed in between.
const removedPrefix = ".crucible-removed-"

// maxRefilled bounds how often a directory may turn out not to be empty after
// it was emptied.
const maxRefilled = 1000

// removeTree removes a directory and all that is in it, without following a
// link. It needs one descriptor however deep the tree is: it moves each
// directory beside the first one before it goes on, so that a tree nested
// without end, which an agent can make, cannot exhaust anything.
func (d directory) removeTree(ctx context.Context, name string) error {
	fresh := removedPrefix + rand.Text()
	if err := d.rename(d, name, fresh); err != nil {
		return fmt.Errorf("remove %q: %w", name, err)
	}
	refilled := 0
	for pending := []string{fresh}; len(pending) > 0; {
		last := pending[len(pending)-1]
		pending = pending[:len(pending)-1]
		below, err := d.empty(ctx, last)
		if err != nil {
			return fmt.Errorf("remove %q: %w", name, err)
		}
		pending = append(pending, below...)
		err = unix.Unlinkat(d.fd, last, unix.AT_REMOVEDIR)
		switch {
		case errors.Is(err, unix.ENOTEMPTY):
			if refilled++; refilled > maxRefilled {
				return errUnsteady
			}
			pending = append(pending, last)
		case err != nil && !errors.Is(err, unix.ENOENT):
			return fmt.Errorf("remove %q: %w", name, err)
		}
	}
	return nil
}

// empty removes the files of a directory of d, and moves the directories in it
// to d. It returns their new names.
func (d directory) empty(ctx context.Context, name string) ([]string, error) {
	in, err := d.enter(name, false)
	if err != nil {
		return nil, err
	}
	list := os.NewFile(uintptr(in.fd), name)
	defer list.Close()
	var below []string
	for {
		names, err := list.Readdirnames(1024)
		for _, n := range names {
			err := in.unlink(n)
			if errors.Is(err, unix.EISDIR) {
				fresh := removedPrefix + rand.Text()
				below = append(below, fresh)
				err = in.rename(d, n, fresh)
			}
			if err != nil {
				return nil, err
			}
		}
		if err == io.EOF {
			return below, nil
		}
		if err := errors.Join(err, ctx.Err()); err != nil {
			return nil, err
		}
	}
}

// rename moves a directory of d to another. The kernel wants the right to write
// to a directory that gets a new parent.
func (d directory) rename(to directory, name, fresh string) error {
	err := unix.Renameat(d.fd, name, to.fd, fresh)
	for range maxTries {
		if !errors.Is(err, unix.EACCES) {
			return err
		}
		if d.grantSelf() != nil && to.grantSelf() != nil && d.grant(name) != nil {
			return err
		}
		err = unix.Renameat(d.fd, name, to.fd, fresh)
	}
	return err
}
