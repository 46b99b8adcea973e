package gitmem

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// sweeper finds what git does not see: repositories inside the workspace,
// sockets, pipes and devices; and the .gitignore files, which make git not see.
// Directories that did not change since the last look are not read again.
type sweeper struct {
	workspace string
	dirs      map[string]*dirNote
}

// dirNote is what a directory held.
type dirNote struct {
	stamp   stamp
	recent  bool // changed so shortly before it was read that a change may be hidden
	subdirs []string
	found   []finding
}

// finding is one of these.
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

// recentWindow is above the granularity of file times.
const recentWindow = 100 * time.Millisecond

// maxFindings bounds what is remembered.
const maxFindings = 10_000

func newSweeper(workspace string) *sweeper {
	return &sweeper{workspace: workspace, dirs: map[string]*dirNote{}}
}

// walk looks through the workspace and gives the findings in order of their
// paths. It also frees git from a pipe that has the name of a file git reads:
// opening that would block for ever.
func (s *sweeper) walk(ctx context.Context) ([]finding, error) {
	next := make(map[string]*dirNote, len(s.dirs))
	var found []finding
	stack := []string{"."}
	for len(stack) > 0 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		dir := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		note, err := s.look(dir)
		if err != nil {
			continue // gone, or closed to us: then git cannot read it either
		}
		next[dir] = note
		found = append(found, note.found...)
		for _, sub := range note.subdirs {
			stack = append(stack, path.Join(dir, sub))
		}
		if len(found) > maxFindings {
			break
		}
	}
	s.dirs = next
	slices.SortFunc(found, func(a, b finding) int { return strings.Compare(a.path, b.path) })
	return found, nil
}

// look reads one directory unless it is as it was.
func (s *sweeper) look(dir string) (*dirNote, error) {
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
	note := &dirNote{stamp: at, recent: time.Since(time.Unix(0, max(at.mtime, at.ctime))) < recentWindow}
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
	name, kind := e.Name(), e.Type()
	switch {
	case name == ".git":
		if dir != "." {
			note.found = append(note.found, finding{path: path.Join(dir, name), kind: repository})
		}
	case kind.IsDir():
		note.subdirs = append(note.subdirs, name)
	case kind&(fs.ModeNamedPipe|fs.ModeSocket|fs.ModeDevice) != 0:
		note.found = append(note.found, finding{path: path.Join(dir, name)})
		if kind&fs.ModeNamedPipe != 0 && (name == ".gitignore" || name == ".gitattributes" || name == ".gitmodules") {
			unblock(filepath.Join(s.workspace, dir, name))
			note.recent = true
		}
	case name == ".gitignore":
		note.found = append(note.found, finding{path: path.Join(dir, name), kind: ignoreFile})
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
