package gitmem

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

const (
	// showPacked is how many new objects go to the visible repository as a pack
	// and not as a file each.
	showPacked = 500
	// maxPacks is how many packs of the shadow are joined.
	maxPacks = 40
)

// fresh are the objects in the quarantine: what git wrote and no recorded state
// has yet.
type fresh struct {
	loose []string // as paths, "ab/cdef…"
	packs []string // without their suffixes, "pack/pack-…"
}

func (f fresh) empty() bool { return len(f.loose)+len(f.packs) == 0 }

// ids are the names of the loose objects, a line each.
func (f fresh) ids() *bytes.Buffer {
	var b bytes.Buffer
	for _, n := range f.loose {
		b.WriteString(n[:2] + n[3:] + "\n")
	}
	return &b
}

// fresh lists the quarantine. Its directories stay when they are empty, to be
// used again; one that did not change since it was empty is not read.
func (s *shadow) fresh() (fresh, error) {
	var f fresh
	dir, err := os.Open(s.quarantine())
	if err != nil {
		return f, err
	}
	defer dir.Close()
	names, err := s.unread(dir, "pack")
	for _, n := range names {
		if base, ok := strings.CutSuffix(n, ".idx"); ok {
			f.packs = append(f.packs, path.Join("pack", base))
		}
	}
	for i := 0; i < 256 && err == nil; i++ {
		var names []string
		sub := hexByte(i)
		if names, err = s.unread(dir, sub); err != nil {
			break
		}
		for _, n := range names {
			if isHex(n) && len(n) == s.format.size()-2 {
				f.loose = append(f.loose, path.Join(sub, n))
			}
		}
	}
	return f, err
}

func hexByte(i int) string { return "0123456789abcdef"[i>>4:i>>4+1] + "0123456789abcdef"[i&15:i&15+1] }

// unread reads a directory of the quarantine unless there is none or it is known
// to be empty.
func (s *shadow) unread(quarantine *os.File, name string) ([]string, error) {
	var st unix.Stat_t
	err := unix.Fstatat(int(quarantine.Fd()), name, &st, unix.AT_SYMLINK_NOFOLLOW)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	at := stamp{ino: st.Ino, mtime: st.Mtim.Nano(), ctime: st.Ctim.Nano()}
	if s.emptied[name] == at {
		return nil, nil
	}
	delete(s.emptied, name)
	f, err := os.Open(filepath.Join(s.quarantine(), name))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	names, err := f.Readdirnames(-1)
	if err == nil && len(names) == 0 && !at.recent() {
		s.emptied[name] = at
	}
	return names, err
}

// packed are the fresh objects as packs in a directory, with the two files of
// each. The directory lies beside the shadow and is emptied by the next one.
func (s *shadow) packed(ctx context.Context, f fresh) (files []string, err error) {
	dir, err := openDir(s.packing())
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	if err := emptyDir(dir, "pack"); err != nil {
		return nil, err
	}
	if len(f.loose) > 0 {
		base, err := s.packLoose(ctx, f, dir)
		if err != nil {
			return nil, fmt.Errorf("pack new objects: %w", err)
		}
		files = append(files, base+".pack", base+".idx")
	}
	for _, p := range f.packs {
		for _, suffix := range []string{".pack", ".idx"} {
			if err := os.Rename(filepath.Join(s.quarantine(), p+suffix), filepath.Join(s.packing(), p+suffix)); err != nil {
				return nil, err
			}
			files = append(files, p+suffix)
		}
	}
	return files, nil
}

func (s *shadow) packLoose(ctx context.Context, f fresh, dir *os.Root) (base string, err error) {
	if s.isSmall(f.loose) {
		return s.smallPack(f.loose, dir)
	}
	r, err := s.run(ctx, request{args: []string{"pack-objects", "-q", filepath.Join(s.packing(), "pack", "pack")}, stdin: f.ids()})
	return "pack/pack-" + r.text(), err
}

func (s *shadow) packing() string { return filepath.Join(s.dir, "packing") }

// keep moves packs to the shadow. What the shadow has is in files that the
// visible repository knows nothing of.
func (s *shadow) keep(ctx context.Context, files []string) error {
	for _, name := range files {
		if err := os.Rename(filepath.Join(s.packing(), name), s.path("objects", name)); err != nil {
			return fmt.Errorf("keep new objects: %w", err)
		}
	}
	if len(files) == 0 {
		return nil
	}
	if s.packs++; s.packs <= maxPacks {
		return nil
	}
	s.packs = 0
	env := append(s.env(mainIndex), "GIT_OBJECT_DIRECTORY="+s.path("objects"), "GIT_ALTERNATE_OBJECT_DIRECTORIES=")
	_, err := runGit(ctx, s.git, call{args: []string{"repack", "-q", "-d", "-l", "--geometric=2"}, dir: s.dir, env: dedupe(env)})
	return err
}

// clearQuarantine forgets the objects that belong to no recorded state. The
// directories stay: to make one can cost more than to write an object.
func (s *shadow) clearQuarantine() error {
	if !s.dirty {
		return nil
	}
	dir, err := openDir(s.quarantine())
	if err != nil {
		return err
	}
	defer dir.Close()
	f, err := s.fresh()
	if err != nil {
		return err
	}
	for _, name := range f.loose {
		if err := dir.Remove(name); err != nil {
			return err
		}
	}
	if err := emptyDir(dir, "pack"); err != nil {
		return err
	}
	s.dirty = false
	return nil
}

// emptyDir removes the files of a directory, which is made when it is missing.
func emptyDir(root *os.Root, name string) error {
	entries, err := readDir(root, name)
	if errors.Is(err, fs.ErrNotExist) {
		return root.MkdirAll(name, 0o700)
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := root.RemoveAll(path.Join(name, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

// fanOut makes the directories that loose objects go to.
func fanOut(root *os.Root, below string) error {
	for i := range 256 {
		name := path.Join(below, fmt.Sprintf("%02x", i))
		if err := root.Mkdir(name, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return nil
}

// moveInto moves an object file of the quarantine into a repository. It takes
// no new file on the disk, unless that is another one.
func moveInto(r *roots, from, name string) error {
	to := "objects/" + name
	dir, err := r.common.OpenFile(path.Dir(to), os.O_RDONLY|syscall.O_DIRECTORY, 0)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		if err := makeParents(r.common, to); err != nil {
			return err
		}
		dir, err = r.common.OpenFile(path.Dir(to), os.O_RDONLY|syscall.O_DIRECTORY, 0)
	}
	if err != nil {
		return err
	}
	defer dir.Close()
	conn, err := dir.SyscallConn()
	if err != nil {
		return err
	}
	var moved error
	err = conn.Control(func(fd uintptr) { moved = unix.Renameat(unix.AT_FDCWD, from, int(fd), path.Base(to)) })
	switch {
	case err != nil:
		return err
	case errors.Is(moved, syscall.EISDIR), errors.Is(moved, syscall.ENOTEMPTY), errors.Is(moved, syscall.EEXIST):
		if err := removeIn(r.common, to); err != nil {
			return err
		}
		return copyFile(r.common, to, from, 0o444)
	case errors.Is(moved, syscall.EXDEV):
		return copyFile(r.common, to, from, 0o444)
	}
	return moved
}

// copyFile copies a file of ours into root, under a temporary name first.
func copyFile(root *os.Root, name, from string, mode fs.FileMode) error {
	src, err := os.Open(from)
	if err != nil {
		return err
	}
	defer src.Close()
	temporary := path.Join(path.Dir(name), ".crucible-"+path.Base(name))
	if err := root.Remove(temporary); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	dst, err := root.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(dst, src)
	if closeErr := dst.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = root.Rename(temporary, name)
	}
	if err != nil {
		_ = root.Remove(temporary)
	}
	return err
}
