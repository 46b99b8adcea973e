package host

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// open opens the file of a candidate if it keeps the rules: a regular,
// executable file outside the workspace, that nobody but root and this user
// can write or replace. resolved is its path without links.
func (f *finder) open(c candidate) (file *os.File, resolved string, err error) {
	resolved, err = filepath.EvalSymlinks(c.path)
	if err != nil {
		return nil, "", fmt.Errorf("open plugin %s: %w", c.ref, err)
	}
	if err := f.checkPlace(c, resolved); err != nil {
		return nil, "", err
	}
	// Without O_NONBLOCK a FIFO would hold us up.
	file, err = os.OpenFile(resolved, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, "", fmt.Errorf("open plugin %s: %w", c.ref, err)
	}
	if err := checkFile(c.ref, file, resolved); err != nil {
		file.Close()
		return nil, "", err
	}
	return file, resolved, nil
}

// checkPlace applies the rules for where a binary may lie.
func (f *finder) checkPlace(c candidate, resolved string) error {
	refuse := func(path, why, way string) error {
		return &RuleError{Ref: c.ref, Path: path, Rule: why, WayOut: way}
	}
	if f.workspace != "" && within(f.workspace, resolved) {
		return refuse(resolved, "lies in the workspace, which an agent can write", "install it elsewhere")
	}
	root := filepath.Dir(resolved)
	if c.root != "" {
		real, err := filepath.EvalSymlinks(c.root)
		if err != nil {
			return fmt.Errorf("open plugin %s: %w", c.ref, err)
		}
		if !within(real, resolved) {
			return refuse(c.path, "is a link out of its directory, to "+resolved, "install the file itself")
		}
		root = real
	}
	for dir := filepath.Dir(resolved); ; dir = filepath.Dir(dir) {
		info, err := os.Lstat(dir)
		if err != nil {
			return fmt.Errorf("open plugin %s: %w", c.ref, err)
		}
		if within(root, dir) {
			if err := checkWriters(c.ref, dir, info); err != nil {
				return err
			}
		} else if info.Mode().Perm()&0o002 != 0 && info.Mode()&fs.ModeSticky == 0 {
			return refuse(dir, "is writable by everybody", "chmod o-w "+dir)
		}
		if dir == filepath.Dir(dir) {
			return nil
		}
	}
}

// checkFile applies the rules for the file itself, to what was opened and not to
// a path that could name something else by now.
func checkFile(ref Ref, file *os.File, path string) error {
	info, err := file.Stat()
	if err != nil {
		return fmt.Errorf("open plugin %s: %w", ref, err)
	}
	if !info.Mode().IsRegular() {
		return &RuleError{Ref: ref, Path: path, Rule: "is not a regular file"}
	}
	if info.Mode().Perm()&0o111 == 0 {
		return &RuleError{Ref: ref, Path: path, Rule: "is not executable", WayOut: "chmod +x " + path}
	}
	return checkWriters(ref, path, info)
}

// checkWriters wants that only root and this user can write.
func checkWriters(ref Ref, path string, info fs.FileInfo) error {
	if info.Mode().Perm()&0o022 != 0 {
		return &RuleError{Ref: ref, Path: path, Rule: "is writable by its group or by everybody", WayOut: "chmod go-w " + path}
	}
	if owner, ok := ownerOf(info); ok && owner != 0 && owner != os.Geteuid() {
		return &RuleError{
			Ref: ref, Path: path, Rule: fmt.Sprintf("belongs to another user (uid %d)", owner),
			WayOut: "install a copy of your own",
		}
	}
	return nil
}

func ownerOf(info fs.FileInfo) (uid int, ok bool) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return int(stat.Uid), true
}
