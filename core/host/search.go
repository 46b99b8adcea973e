package host

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// maxPlaces bounds the directories that CRUCIBLE_PLUGIN_PATH may list.
const maxPlaces = 64

// Origin says who named a binary.
type Origin string

// The origins, in the order of the search.
const (
	// FromFlag is a binary named by an Override.
	FromFlag Origin = "flag"
	// FromPath is a binary in a directory of CRUCIBLE_PLUGIN_PATH.
	FromPath Origin = "path"
	// FromStandard is a binary in a standard directory; only it needs an entry
	// in the operator's lock file to be trusted.
	FromStandard Origin = "standard"
)

// place is a directory that is searched for plugins.
type place struct {
	dir    string
	origin Origin
}

// candidate is a file that a search came upon; nothing is known of it but its name.
type candidate struct {
	ref    Ref
	path   string
	origin Origin
	// root is the directory that the file, with its links resolved, must not
	// leave; empty for a file that was named itself.
	root string
}

// finder knows where plugins may lie.
type finder struct {
	overrides []Override
	places    []place
	// workspace is resolved, or empty. Nothing in it is ever executed.
	workspace string
}

// newFinder reads the search path from the environment. PATH and the directory
// of the engine's own executable are no part of it.
func newFinder(getenv func(string) string, overrides []Override, workspace string) (*finder, error) {
	f := &finder{overrides: overrides, workspace: resolveExisting(workspace)}
	for _, dir := range filepath.SplitList(getenv("CRUCIBLE_PLUGIN_PATH")) {
		if dir == "" {
			continue
		}
		if !filepath.IsAbs(dir) {
			return nil, fmt.Errorf("CRUCIBLE_PLUGIN_PATH: %q is not an absolute path", dir)
		}
		f.places = append(f.places, place{filepath.Clean(dir), FromPath})
	}
	if len(f.places) > maxPlaces {
		return nil, fmt.Errorf("CRUCIBLE_PLUGIN_PATH: %d directories, at most %d are searched", len(f.places), maxPlaces)
	}
	if data := userDir(getenv, "XDG_DATA_HOME", ".local/share"); data != "" {
		f.places = append(f.places, place{filepath.Join(data, "crucible", "plugins"), FromStandard})
	}
	for _, dir := range []string{"/usr/local/lib/crucible/plugins", "/usr/lib/crucible/plugins"} {
		f.places = append(f.places, place{dir, FromStandard})
	}
	return f, nil
}

// userDir is a directory of the XDG base directory specification: a relative
// value counts as unset. It is empty when HOME is needed and unset, too.
func userDir(getenv func(string) string, name, fallback string) string {
	if dir := getenv(name); filepath.IsAbs(dir) {
		return filepath.Clean(dir)
	}
	if home := getenv("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, fallback)
	}
	return ""
}

// find is the first file that has the plugin's name. A file that breaks a rule
// is an error later, not a reason to go on: what runs must not depend on it.
func (f *finder) find(ref Ref) (candidate, error) {
	if err := ref.valid(); err != nil {
		return candidate{}, err
	}
	for _, o := range f.overrides {
		if o.Ref == ref {
			return candidate{ref: ref, path: o.Path, origin: FromFlag}, nil
		}
	}
	missing := &NotFoundError{Ref: ref}
	for _, p := range f.places {
		path := filepath.Join(p.dir, ref.Binary())
		_, err := os.Lstat(path)
		if err == nil {
			return candidate{ref: ref, path: path, origin: p.origin, root: p.dir}, nil
		}
		missing.Looked = append(missing.Looked, p.dir+reason(err))
	}
	return candidate{}, missing
}

// reason says why a directory could not be searched; that a file is not there
// needs no reason.
func reason(err error) string {
	if errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return fmt.Sprintf(" (%v)", err)
}

// all lists, for each plugin that is found anywhere, the file that find gives.
func (f *finder) all() []candidate {
	var found []candidate
	seen := map[Ref]bool{}
	add := func(c candidate) {
		if !seen[c.ref] {
			seen[c.ref] = true
			found = append(found, c)
		}
	}
	for _, o := range f.overrides {
		add(candidate{ref: o.Ref, path: o.Path, origin: FromFlag})
	}
	for _, p := range f.places {
		entries, _ := os.ReadDir(p.dir) // a directory that cannot be read has nothing to offer
		for _, e := range entries {
			if ref, ok := refOfBinary(e.Name()); ok {
				add(candidate{ref: ref, path: filepath.Join(p.dir, e.Name()), origin: p.origin, root: p.dir})
			}
		}
	}
	return found
}

// within reports whether path is dir or below it. Both are clean and absolute.
func within(dir, path string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/")
}

// resolveExisting resolves the links of the part of path that exists. It keeps
// an empty path.
func resolveExisting(path string) string {
	if path == "" {
		return ""
	}
	rest := ""
	for dir := filepath.Clean(path); ; dir = filepath.Dir(dir) {
		if resolved, err := filepath.EvalSymlinks(dir); err == nil {
			return filepath.Join(resolved, rest)
		}
		if dir == filepath.Dir(dir) {
			return filepath.Clean(path)
		}
		rest = filepath.Join(filepath.Base(dir), rest)
	}
}
