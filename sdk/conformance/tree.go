package conformance

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// tree is what a state holds of a directory: what each file is, by path. Git's
// own directory is not part of it, nor are directories without files.
type tree map[string]string

// treeOf reads a directory.
func treeOf(t T, dir string) tree {
	t.Helper()
	found := tree{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		switch {
		case err != nil:
			return err
		case name == ".git" && entry.IsDir():
			return filepath.SkipDir
		case entry.IsDir():
			return nil
		case entry.Type()&fs.ModeSymlink != 0:
			to, err := os.Readlink(path)
			found[name] = "link to " + to
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		text, err := os.ReadFile(path)
		kind := "file"
		if info.Mode()&0o100 != 0 {
			kind = "program"
		}
		found[name] = fmt.Sprintf("%s of %d bytes: %.60q", kind, len(text), text)
		return err
	})
	if err != nil {
		t.Fatalf("read the workspace: %v", err)
	}
	return found
}

// differs says what is different in got.
func (want tree) differs(got tree) string {
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if got[name] != want[name] {
			lines = append(lines, fmt.Sprintf("%q is %q, want %q", name, got[name], want[name]))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(got)) {
		if _, ok := want[name]; !ok {
			lines = append(lines, fmt.Sprintf("%q is there, and should not be", name))
		}
	}
	return strings.Join(lines, "\n")
}

// wants fails the case when the workspace is not as it was.
func (l *land) wants(want tree, when string) {
	l.t.Helper()
	if diff := want.differs(treeOf(l.t, l.dir)); diff != "" {
		l.t.Errorf("%s the workspace is another one:\n%s", when, diff)
	}
}
