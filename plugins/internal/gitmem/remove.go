package gitmem

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// removeTree removes a path and everything under it, what is read-only
// included. A path that does not exist is no fault.
func removeTree(p string) error {
	if err := os.RemoveAll(p); err == nil {
		return nil
	}
	parent, err := os.OpenRoot(filepath.Dir(p))
	if err != nil {
		return err
	}
	defer parent.Close()
	return removeIn(parent, filepath.Base(p))
}

// removeSpecial removes pipes, sockets and devices from the places of a memory
// in which we or git open files by a name known beforehand: opening one could
// wait for ever.
func removeSpecial(memory string) error {
	git := filepath.Join(memory, shadowDir)
	for _, dir := range []string{
		memory, git, git + "/info", git + "/objects/info", git + "/objects/pack", git + "/refs", git + "/refs/heads",
	} {
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue // whoever needs it says so
		}
		for _, e := range entries {
			if e.Type()&(fs.ModeNamedPipe|fs.ModeSocket|fs.ModeDevice) == 0 {
				continue
			}
			if err := os.Remove(filepath.Join(dir, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// maxPath is the longest path, in bytes, that the system calls take with room to
// spare.
const maxPath = 3800

// removeDeep removes the directories below a workspace that lie so deep that their
// path cannot be named, by git least of all. No state has any.
func removeDeep(ctx context.Context, workspace string) error {
	for stack := []string{workspace}; len(stack) > 0; {
		dir := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		entries, err := os.ReadDir(dir)
		if err != nil {
			return err
		}
		for _, e := range entries {
			sub := filepath.Join(dir, e.Name())
			switch {
			case !e.IsDir() || sub == filepath.Join(workspace, ".git"):
			case len(sub) <= maxPath:
				stack = append(stack, sub)
			default:
				if err := os.RemoveAll(sub); err != nil {
					return err
				}
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// unlockDir gives the owner all rights on a directory, which without them could
// not even be opened.
func unlockDir(p string) error {
	parent, err := os.OpenRoot(filepath.Dir(p))
	if err != nil {
		return err
	}
	defer parent.Close()
	name := filepath.Base(p)
	info, err := parent.Lstat(name)
	if err != nil || !info.IsDir() || info.Mode().Perm()&0o700 == 0o700 {
		return err
	}
	return parent.Chmod(name, info.Mode().Perm()|0o700)
}

// unlockTree gives the owner all rights on the directories under name and the
// right to read and write files that cannot be read, and follows no link.
func unlockTree(root *os.Root, name string) error {
	info, err := root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	perm := info.Mode().Perm()
	switch {
	case info.IsDir():
		if perm&0o700 != 0o700 {
			if err := root.Chmod(name, perm|0o700); err != nil {
				return err
			}
		}
	case info.Mode().IsRegular():
		if perm&0o400 == 0 {
			return root.Chmod(name, perm|0o600)
		}
		return nil
	default:
		return nil
	}
	entries, err := readDir(root, name)
	if err != nil {
		return err
	}
	var errs []error
	for _, e := range entries {
		errs = append(errs, unlockTree(root, path.Join(name, e.Name())))
	}
	return errors.Join(errs...)
}

// openDir opens a directory for calls below it, made when it is missing.
func openDir(p string) (*os.Root, error) {
	if err := os.MkdirAll(p, 0o700); err != nil {
		return nil, err
	}
	return os.OpenRoot(p)
}
