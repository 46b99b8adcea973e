package gitmem

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
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
func (s *shadow) keep(files []string) error {
	for _, name := range files {
		if err := os.Rename(filepath.Join(s.packing(), name), s.path("objects", name)); err != nil {
			return fmt.Errorf("keep new objects: %w", err)
		}
	}
	if len(files) > 0 {
		s.packs++
	}
	return nil
}

// join makes few packs of many. Nobody else may be reading them.
func (s *shadow) join(ctx context.Context) error {
	s.packs = 0
	env := append(s.env(mainIndex), "GIT_OBJECT_DIRECTORY="+s.path("objects"), "GIT_ALTERNATE_OBJECT_DIRECTORIES=")
	_, err := runGit(ctx, s.git, call{args: []string{"repack", "-q", "-d", "-l", "--geometric=2"}, dir: s.dir, env: dedupe(env)})
	return err
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
