package gitmem

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"
)

// Bounds of what a seal copies.
const (
	maxSealed      = 256      // files
	maxSealedBytes = 16 << 20 // bytes in all
)

// furniture are the files of a repository that make git run programs, read
// elsewhere or see other content. A seal holds each as it was, or its absence.
var furniture = []string{
	"config", "config.worktree", "info/attributes", "info/exclude", "info/grafts", "info/sparse-checkout",
	"objects/info/alternates", "objects/info/http-alternates", "shallow", "commondir",
}

const hooksDir = "hooks"

// seal is the engine's copy of the furniture and hooks of a visible repository.
type seal map[string]sealedFile

// sealedFile is a file, or with Link a symbolic link.
type sealedFile struct {
	Mode fs.FileMode `json:"mode"`
	Data []byte      `json:"data,omitempty"`
	Link string      `json:"link,omitempty"`
}

// takeSeal copies what is there.
func takeSeal(r *roots) (seal, error) {
	s := seal{}
	total := 0
	names, err := sealNames(r)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		f, ok, err := readSealed(r.common, name)
		if err != nil {
			return nil, fmt.Errorf("copy .git/%s: %w", name, err)
		}
		if !ok {
			continue
		}
		if total += len(f.Data); total > maxSealedBytes || len(s) >= maxSealed {
			return nil, fmt.Errorf("copy .git/%s: hooks and configuration of more than %d files or %d bytes", name, maxSealed, maxSealedBytes)
		}
		s[name] = f
	}
	return s, nil
}

// sealNames are the furniture and what lies in the hooks directory.
func sealNames(r *roots) ([]string, error) {
	names := slices.Clone(furniture)
	if info, err := r.common.Lstat(hooksDir); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return append(names, hooksDir), nil // hooks that are kept elsewhere
	}
	entries, err := readDir(r.common, hooksDir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read .git/hooks: %w", err)
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".sample") {
			names = append(names, path.Join(hooksDir, e.Name()))
		}
	}
	return names, nil
}

func readDir(root *os.Root, name string) ([]fs.DirEntry, error) {
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.ReadDir(-1)
}

// readSealed reads one file; false when there is none that could be sealed.
func readSealed(root *os.Root, name string) (sealedFile, bool, error) {
	info, err := root.Lstat(name)
	if err != nil {
		return sealedFile{}, false, nil
	}
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := root.Readlink(name)
		return sealedFile{Mode: fs.ModeSymlink, Link: target}, err == nil, err
	case info.Mode().IsRegular():
		data, err := readSmall(root, name)
		return sealedFile{Mode: info.Mode().Perm(), Data: data}, err == nil, err
	default:
		return sealedFile{}, false, nil
	}
}

// stamp tells cheaply whether a file may have changed: nobody but root can set
// a change time.
type stamp struct {
	dev, ino, mode     uint64
	size, mtime, ctime int64
}

func stampOf(info fs.FileInfo) stamp {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return stamp{}
	}
	return stamp{
		dev: uint64(st.Dev), ino: st.Ino, mode: uint64(st.Mode), size: st.Size, //nolint:unconvert // the types differ between systems
		mtime: st.Mtim.Nano(), ctime: st.Ctim.Nano(),
	}
}

// sealState remembers what the sealed files looked like when they were in order.
type sealState map[string]stamp

// restore puts the furniture back to the seal's. Files that are in order cost a
// look each.
func (s seal) restore(r *roots, known sealState) error {
	for _, name := range furniture {
		if err := s.restoreFile(r, known, name); err != nil {
			return fmt.Errorf("put .git/%s back: %w", name, err)
		}
	}
	if err := s.restoreHooks(r, known); err != nil {
		return fmt.Errorf("put .git/hooks back: %w", err)
	}
	return nil
}

func (s seal) restoreFile(r *roots, known sealState, name string) error {
	want, sealed := s[name]
	info, err := r.common.Lstat(name)
	if err != nil {
		if !sealed {
			return nil
		}
		info = nil
	}
	if info != nil {
		if at, ok := known[name]; ok && sealed && at == stampOf(info) {
			return nil
		}
		if have, ok, err := readSealed(r.common, name); err == nil && ok && sealed && want.equal(have) {
			known[name] = stampOf(info)
			return nil
		}
		if err := removeIn(r.common, name); err != nil {
			return err
		}
	}
	delete(known, name)
	if !sealed {
		return nil
	}
	if err := makeParents(r.common, name); err != nil {
		return err
	}
	if want.Link != "" {
		return r.common.Symlink(want.Link, name)
	}
	if err := replaceFile(r.common, name, want.Data, want.Mode); err != nil {
		return err
	}
	return r.common.Chmod(name, want.Mode)
}

func (f sealedFile) equal(g sealedFile) bool {
	return f.Mode == g.Mode && f.Link == g.Link && bytes.Equal(f.Data, g.Data)
}

// restoreHooks also removes hooks that were not there.
func (s seal) restoreHooks(r *roots, known sealState) error {
	if _, elsewhere := s[hooksDir]; elsewhere {
		return s.restoreFile(r, known, hooksDir)
	}
	info, err := r.common.Lstat(hooksDir)
	if err == nil && !info.IsDir() {
		if err := removeIn(r.common, hooksDir); err != nil {
			return err
		}
	}
	if at, ok := known[hooksDir]; !ok || info == nil || at != stampOf(info) {
		names, err := sealNames(r)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		for _, name := range names {
			if _, sealed := s[name]; !sealed && strings.HasPrefix(name, hooksDir+"/") {
				if err := removeIn(r.common, name); err != nil {
					return err
				}
			}
		}
	}
	for name := range s {
		if strings.HasPrefix(name, hooksDir+"/") {
			if err := s.restoreFile(r, known, name); err != nil {
				return err
			}
		}
	}
	if info, err := r.common.Lstat(hooksDir); err == nil {
		known[hooksDir] = stampOf(info)
	}
	return nil
}

// removeIn removes whatever has this name.
func removeIn(root *os.Root, name string) error {
	err := root.RemoveAll(name)
	if err == nil {
		return nil
	}
	if chmodErr := unlockTree(root, name); chmodErr != nil {
		return errors.Join(err, chmodErr)
	}
	return root.RemoveAll(name)
}

// makeParents makes the directories above a file, in place of what else is
// there.
func makeParents(root *os.Root, name string) error {
	dir := path.Dir(name)
	if dir == "." {
		return nil
	}
	if info, err := root.Lstat(dir); err == nil && info.IsDir() {
		return nil
	}
	if err := makeParents(root, dir); err != nil {
		return err
	}
	if _, err := root.Lstat(dir); err == nil {
		if err := removeIn(root, dir); err != nil {
			return err
		}
	}
	return root.Mkdir(dir, 0o777)
}
