package gitmem

import (
	"context"
	"errors"
	"hash/maphash"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// sweeper looks at the names in the workspace. It finds what git does not see:
// repositories inside the workspace, sockets, pipes and devices; and the
// .gitignore files, which make git not see. And it tells whether there are other
// names than at an earlier look, which spares git the search for new files.
// Directories that did not change since the last look are not read again.
type sweeper struct {
	workspace string
	skip      func(path string) bool // what no state holds
	dirs      map[string]*dirNote
	seed      maphash.Seed
}

// dirNote is what a directory held.
type dirNote struct {
	stamp   stamp
	recent  bool // changed so shortly before it was read that a change may be hidden
	subdirs []string
	found   []finding
	names   uint64 // a hash of the names and their types, in any order
}

// finding is something that git does not see, or that hides something from it.
type finding struct {
	path string // below the workspace, with forward slashes
	kind findingKind
}

type findingKind int

const (
	special    findingKind = iota // a socket, pipe or device
	repository                    // it is named .git
	ignoreFile                    // it is named .gitignore
)

// pathsOf are the paths of the findings of one kind.
func pathsOf(found []finding, kind findingKind) []string {
	var out []string
	for _, f := range found {
		if f.kind == kind {
			out = append(out, f.path)
		}
	}
	return out
}

// look is what the sweeper saw.
type look struct {
	found []finding
	// names stands for all names and their types and for the .gitignore files as
	// they are. It is zero when it could not be told for sure.
	names uint64
}

// same reports whether two looks surely saw the same names.
func (l look) same(other look) bool { return l.names != 0 && l.names == other.names }

// recentWindow is above the granularity of file times.
const recentWindow = 100 * time.Millisecond

// maxFindings bounds what is remembered.
const maxFindings = 10_000

func newSweeper(workspace string, skip func(string) bool) *sweeper {
	return &sweeper{workspace: workspace, skip: skip, dirs: map[string]*dirNote{}, seed: maphash.MakeSeed()}
}

// walk looks through the workspace. It also frees git from a pipe that has the
// name of a file git reads: opening that would block for ever.
func (s *sweeper) walk(ctx context.Context) (look, error) {
	next := make(map[string]*dirNote, len(s.dirs))
	var l look
	sure := true
	stack := []string{"."}
	for len(stack) > 0 && len(l.found) < maxFindings {
		if err := ctx.Err(); err != nil {
			return look{}, err
		}
		dir := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		note, err := s.read(dir)
		if err != nil {
			sure = false // gone, or closed to us: then git cannot read it either
			continue
		}
		next[dir] = note
		l.found = append(l.found, note.found...)
		l.names += maphash.String(s.seed, dir) ^ note.names
		for _, sub := range note.subdirs {
			stack = append(stack, path.Join(dir, sub))
		}
	}
	s.dirs = next
	slices.SortFunc(l.found, func(a, b finding) int { return strings.Compare(a.path, b.path) })
	if !sure || len(stack) > 0 || !s.hashIgnores(&l) {
		l.names = 0
	}
	return l, nil
}

// hashIgnores adds the state of the .gitignore files; false when one changed so
// lately that another change may be hidden.
func (s *sweeper) hashIgnores(l *look) bool {
	for _, f := range l.found {
		if f.kind != ignoreFile {
			continue
		}
		info, err := os.Lstat(filepath.Join(s.workspace, f.path))
		if err != nil {
			return false
		}
		at := stampOf(info)
		if at.recent() {
			return false
		}
		l.names += maphash.Comparable(s.seed, struct {
			path string
			at   stamp
		}{f.path, at})
	}
	return true
}

// recent reports whether a change may have come after the last one that shows.
func (s stamp) recent() bool {
	return time.Since(time.Unix(0, max(s.mtime, s.ctime))) < recentWindow
}

// read reads one directory unless it is as it was.
func (s *sweeper) read(dir string) (*dirNote, error) {
	full := filepath.Join(s.workspace, dir)
	info, err := os.Lstat(full)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, errors.New("no directory")
	}
	at := stampOf(info)
	if old := s.dirs[dir]; old != nil && old.stamp == at && !old.recent {
		return old, nil
	}
	note := &dirNote{stamp: at, recent: at.recent()}
	f, err := os.OpenFile(full, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	entries, err := f.ReadDir(-1)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		s.take(note, dir, e)
	}
	return note, nil
}

func (s *sweeper) take(note *dirNote, dir string, e fs.DirEntry) {
	name, kind, full := e.Name(), e.Type(), path.Join(dir, e.Name())
	if full == ".git" || s.skip(full) {
		return
	}
	note.names += maphash.Comparable(s.seed, struct {
		name string
		kind fs.FileMode
	}{name, kind})
	switch {
	case name == ".git":
		note.found = append(note.found, finding{path: full, kind: repository})
	case kind.IsDir():
		note.subdirs = append(note.subdirs, name)
	case kind&(fs.ModeNamedPipe|fs.ModeSocket|fs.ModeDevice) != 0:
		note.found = append(note.found, finding{path: full, kind: special})
		if kind&fs.ModeNamedPipe != 0 && (name == ".gitignore" || name == ".gitattributes" || name == ".gitmodules") {
			unblock(filepath.Join(s.workspace, full))
			note.recent = true
		}
	case name == ".gitignore":
		note.found = append(note.found, finding{path: full, kind: ignoreFile})
	}
}

// unblock removes a pipe and lets whoever waits to read it see its end.
func unblock(pipe string) {
	f, err := os.OpenFile(pipe, os.O_RDWR|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Mode()&fs.ModeNamedPipe != 0 {
		_ = os.Remove(pipe)
	}
}
