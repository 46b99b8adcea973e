package manifest

import (
	"io"
	"io/fs"
	"math/bits"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/crucible-engine/crucible/core/diag"
)

// Bounds of expansion.
const (
	// maxVisited bounds the names that all strings of a manifest look at.
	maxVisited = 1_000_000
	// maxWalkDepth bounds the directories below each other.
	maxWalkDepth = 128
)

// walk looks for the files of one string. It visits every directory once,
// however many ways the pattern has to reach it: it carries the set of steps
// that can match next, one bit each.
type walk struct {
	dir, real string
	steps     []step
	// skip holds directories that wildcards do not enter.
	skip []string
	// hidden: "**" matches names that start with a dot.
	hidden bool
	found  []match
	// visited counts the names that all strings of a manifest looked at.
	visited *int
	// v is where warnings are reported.
	v value
}

// crosses reports whether a "**" is in the set: then a link that is not followed
// may be a surprise.
func (w *walk) crosses(set uint64) bool {
	for i, s := range w.steps {
		if set&(1<<i) != 0 && s.any {
			return true
		}
	}
	return false
}

func (w *walk) start() uint64 { return w.close(1) }

// close adds the steps that follow a "**", which also matches no directory.
func (w *walk) close(set uint64) uint64 {
	for i, s := range w.steps {
		if set&(1<<i) != 0 && s.any && i+1 < len(w.steps) {
			set |= 1 << (i + 1)
		}
	}
	return set
}

// advance matches one name against the set: the steps for the directory below
// it, whether a file of that name is wanted, and whether the name was written
// out in the pattern.
func (w *walk) advance(set uint64, name string) (next uint64, wanted, named bool) {
	for ; set != 0; set &= set - 1 {
		i := bits.TrailingZeros64(set)
		s, last := w.steps[i], i == len(w.steps)-1
		switch {
		case s.any && (w.hidden || name[0] != '.'):
			next |= 1 << i
			wanted = wanted || last
		case !s.any && s.matches(name):
			named = named || s.fixed
			if wanted = wanted || last; !last {
				next |= 1 << (i + 1)
			}
		}
	}
	return w.close(next), wanted, named
}

func (w *walk) visit(dir string, set uint64, depth int) *expandError {
	if depth > maxWalkDepth {
		return &expandError{problem: "reaches directories nested more than " + strconv.Itoa(maxWalkDepth) + " deep"}
	}
	entries, err := w.list(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := w.entry(path.Join(dir, e.Name()), e.Type(), set, depth); err != nil {
			return err
		}
	}
	return nil
}

func (w *walk) entry(name string, mode fs.FileMode, set uint64, depth int) *expandError {
	if strings.EqualFold(path.Base(name), ".git") {
		return nil
	}
	next, wanted, named := w.advance(set, path.Base(name))
	full := filepath.Join(w.dir, name)
	switch {
	case !wanted && next == 0:
		return nil
	case mode.IsRegular() && wanted:
		return w.file(name)
	case mode.IsDir() && next != 0 && (named || !slices.Contains(w.skip, full)):
		return w.visit(name, next, depth+1)
	case mode&fs.ModeSymlink != 0:
		return w.link(name, full, next, wanted, named, depth)
	}
	return nil
}

// link handles a symbolic link. Links to files are taken like files; links to
// directories are followed only where the pattern writes the name out, so that
// a loop of links cannot be entered.
func (w *walk) link(name, full string, next uint64, wanted, named bool, depth int) *expandError {
	info, err := os.Stat(full)
	switch {
	case err != nil:
		if wanted {
			w.v.warn("", "%s is a symbolic link that leads nowhere; it is left out", diag.Quote(name, shown))
		}
		return nil
	case info.Mode().IsRegular():
		if !wanted {
			return nil
		}
		return w.file(name)
	case !info.IsDir() || next == 0:
		return nil
	}
	if !named && !w.crosses(next) {
		return nil
	}
	if !named {
		w.v.warn("name it as a string of its own to inject what is in it",
			"%s is a symbolic link to a directory; it is not followed", diag.Quote(name, shown))
		return nil
	}
	if outside, err := w.leadsOut(name); err != nil || outside {
		return &expandError{"leads out of the manifest directory at " + diag.Quote(name, shown), injectTable}
	}
	return w.visit(name, next, depth+1)
}

// list reads a directory in sorted order, within the bound on all of them.
func (w *walk) list(dir string) ([]fs.DirEntry, *expandError) {
	failed := func(err error) *expandError {
		return &expandError{problem: "cannot be expanded: " + diag.Quote(dir, shown) + ": " + plain(err).Error()}
	}
	f, err := os.Open(filepath.Join(w.dir, dir))
	if err != nil {
		return nil, failed(err)
	}
	defer f.Close()
	entries, err := f.ReadDir(maxVisited - *w.visited + 1)
	if err != nil && err != io.EOF {
		return nil, failed(err)
	}
	if *w.visited += len(entries); *w.visited > maxVisited {
		return nil, &expandError{problem: "and the strings before it look at more than " + strconv.Itoa(maxVisited) + " files"}
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, nil
}
