package gitmem

import (
	"bytes"
	"crypto/sha1" //nolint:gosec // the format's own checksum
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// Git compares the times of files by the second: a change of the same size, made
// within the second in which git last looked by whoever sets the modification
// time back, would never be seen. So the files that changed in that second are
// watched from outside: before git looks again their whole times are compared,
// and it is made to look into those that changed.

const (
	// clockSlack is how far the times of files lag behind the clock.
	clockSlack = 50 * time.Millisecond
	// tick is what the times of files are exact to. A file that changed as lately as
	// that cannot be watched.
	tick = 20 * time.Millisecond
)

// watches are the files that are watched, by index and path.
type watches map[string]map[string]stamp

// watch notes what is to be watched after a call that began at since has looked at
// the files of an index.
func (s *shadow) watch(index string, since time.Time) error {
	from := uint32(since.Add(-clockSlack).Unix())
	watched := map[string]stamp{}
	err := s.edit(index, func(changed uint32, path string) (distrust bool) {
		if changed < from {
			return false
		}
		info, err := os.Lstat(filepath.Join(s.workspace, filepath.FromSlash(path)))
		if err != nil {
			return true
		}
		at := stampOf(info)
		if time.Since(time.Unix(0, at.ctime)) < tick {
			return true
		}
		watched[path] = at
		return false
	})
	s.watched[index] = watched
	return err
}

// recheck makes git look into the watched files that have changed.
func (s *shadow) recheck(index string) error {
	changed := map[string]bool{}
	for path, before := range s.watched[index] {
		info, err := os.Lstat(filepath.Join(s.workspace, filepath.FromSlash(path)))
		if err != nil || stampOf(info) != before {
			changed[path] = true
		}
	}
	if len(changed) == 0 {
		return nil
	}
	for path := range changed {
		delete(s.watched[index], path)
	}
	return s.edit(index, func(_ uint32, path string) bool { return changed[path] })
}

// distrustRecent is for an index of which nothing is known but when it was
// written.
func (s *shadow) distrustRecent(index string) error {
	info, err := os.Stat(s.path(index))
	if err != nil {
		return nil //nolint:nilerr // there is none
	}
	from := uint32(info.ModTime().Unix() - 1)
	return s.edit(index, func(changed uint32, _ string) bool { return changed >= from })
}

// looks reports whether a git command compares an index with the files.
func looks(args []string) bool {
	return slices.ContainsFunc(args, func(a string) bool {
		return a == "add" || a == "checkout-index" || a == "reset" || a == "read-tree" || a == "diff"
	})
}

// edit clears the size of the entries that pick picks by the second of their last
// change and their path, which is how git itself marks an entry whose file it has
// to look into. The index keeps its time, up to which git takes its word for what
// did not change, and becomes another file: other names of the old one keep what
// they have.
func (s *shadow) edit(index string, pick func(changed uint32, path string) bool) error {
	name := s.path(index)
	info, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look at the index: %w", err)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return fmt.Errorf("look at the index: %w", err)
	}
	changed, err := smudge(data, s.format, pick)
	if err != nil || !changed {
		return err
	}
	temporary := name + ".new"
	err = os.WriteFile(temporary, data, 0o600)
	if err == nil {
		err = os.Chtimes(temporary, info.ModTime(), info.ModTime())
	}
	if err == nil {
		err = os.Rename(temporary, name)
	}
	if err != nil {
		return fmt.Errorf("write the index: %w", err)
	}
	return nil
}

// The layout of an index of version 2 or 3.
const (
	indexHeader  = 12
	indexStat    = 40 // the part of an entry before its object id
	sizeOffset   = 36
	extendedFlag = 0x4000
)

var errIndex = errors.New("the index has a form that is not known")

// smudge clears the size of the entries that pick picks, and reports whether there
// were any.
func smudge(data []byte, f format, pick func(changed uint32, path string) bool) (changed bool, err error) {
	sum := f.checksum()
	if len(data) < indexHeader+sum.Size() || !bytes.HasPrefix(data, []byte("DIRC")) {
		return false, errIndex
	}
	version, count := binary.BigEndian.Uint32(data[4:]), binary.BigEndian.Uint32(data[8:])
	if version != 2 && version != 3 {
		return false, errIndex
	}
	end, at := len(data)-sum.Size(), indexHeader
	for range count {
		fixed := indexStat + sum.Size() + 2
		if end-at < fixed {
			return false, errIndex
		}
		if binary.BigEndian.Uint16(data[at+fixed-2:])&extendedFlag != 0 {
			fixed += 2
		}
		length := bytes.IndexByte(data[min(at+fixed, end):end], 0)
		if length < 0 {
			return false, errIndex
		}
		path := string(data[at+fixed : at+fixed+length])
		if binary.BigEndian.Uint32(data[at+sizeOffset:]) != 0 && pick(binary.BigEndian.Uint32(data[at:]), path) {
			binary.BigEndian.PutUint32(data[at+sizeOffset:], 0)
			changed = true
		}
		at += (fixed + length + 8) &^ 7
	}
	if !changed {
		return false, nil
	}
	sum.Write(data[:end])
	copy(data[end:], sum.Sum(nil))
	return true, nil
}

// checksum is the hash function of the format.
func (f format) checksum() hash.Hash {
	if f == sha256Format {
		return sha256.New()
	}
	return sha1.New() //nolint:gosec // the format's own
}

// copyWatch is for an index that got another name.
func (s *shadow) copyWatch(from, to string) { s.watched[to] = maps.Clone(s.watched[from]) }
