package gitmem

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// fresh are the objects in the quarantine: what git wrote and no recorded state
// has yet.
type fresh struct {
	loose []string // as paths, "ab/cdef…"
	packs []string // without their suffixes, "pack/pack-…"
}

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
