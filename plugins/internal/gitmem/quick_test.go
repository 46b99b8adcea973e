package gitmem_test

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// When no name changed, git is spared the search for new files. These are the
// ways in which that could go wrong.
func TestNoNewNames(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		agent func(t *testing.T, b *bench, look func())
		want  map[string]string // changed against the base, "" is absent
		seen  bool              // the state differs from the base
	}{
		"edit in place":   {func(t *testing.T, b *bench, _ func()) { edit(t, b.path("a"), "2\n") }, map[string]string{"a": "file 2\n"}, true},
		"executable":      {func(t *testing.T, b *bench, _ func()) { must(t, os.Chmod(b.path("a"), 0o755)) }, map[string]string{"a": "exec 1\n"}, true},
		"nothing":         {func(*testing.T, *bench, func()) {}, nil, false},
		"deeper new file": {func(t *testing.T, b *bench, _ func()) { b.write(map[string]string{"d/e/new": "n"}) }, map[string]string{"d/e/new": "file n"}, true},
		"link to another": {func(t *testing.T, b *bench, _ func()) { relink(t, "d/e/f", b.path("link")) }, map[string]string{"link": "link d/e/f"}, true},
		"file for link":   {func(t *testing.T, b *bench, _ func()) { put(t, b.path("link"), "1\n") }, map[string]string{"link": "file 1\n"}, true},
		"renamed over":    {func(t *testing.T, b *bench, _ func()) { must(t, os.Rename(b.path("d/e/f"), b.path("a"))) }, map[string]string{"a": "file f\n", "d/e/f": ""}, true},
		"taken out of .gitignore": {func(t *testing.T, b *bench, _ func()) { edit(t, b.path(".gitignore"), "#") },
			map[string]string{".gitignore": "file #", "x.log": "file log"}, true},
		"there for a look": {func(t *testing.T, b *bench, look func()) {
			b.write(map[string]string{"new": "n"})
			look()
			must(t, os.Remove(b.path("new")))
		}, nil, false},
		"gone for a look": {func(t *testing.T, b *bench, look func()) {
			must(t, os.Remove(b.path("a")))
			look()
			b.write(map[string]string{"a": "1\n"})
		}, nil, false},
		"other for a look": {func(t *testing.T, b *bench, look func()) {
			b.write(map[string]string{"a": "2\n"})
			look()
			b.write(map[string]string{"a": "3\n"})
		}, map[string]string{"a": "file 3\n"}, true},
		"looked at in the middle": {func(t *testing.T, b *bench, look func()) {
			edit(t, b.path("a"), "2\n")
			look()
			b.write(map[string]string{"new": "n"})
			look()
			edit(t, b.path("a"), "4\n")
		}, map[string]string{"a": "file 4\n", "new": "file n"}, true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, func(dir string) {
				writeFiles(t, dir, map[string]string{"a": "1\n", "d/e/f": "f\n", ".gitignore": "*.log\n", "x.log": "log"})
				must(t, os.Symlink("a", filepath.Join(dir, "link")))
			})
			// File times must be old enough to tell a change; this is what is tried.
			time.Sleep(150 * time.Millisecond)
			base := b.snapshot("base").Token
			b.restore(base)
			want := files(t, b.dir)
			test.agent(t, b, func() { b.diff(base, 0) })
			changed := files(t, b.dir)
			if _, d := b.diff(base, 0); test.seen != (d.Shortstat != "") {
				t.Errorf("the look shows %q", d.Shortstat)
			}
			two := b.snapshot("two")
			if two.Changed != test.seen {
				t.Errorf("snapshot: %+v", two)
			}
			b.restore(base)
			if diff := cmp.Diff(withoutLog(want), withoutLog(files(t, b.dir))); diff != "" {
				t.Errorf("the base (-want +got):\n%s", diff)
			}
			b.restore(two.Token)
			for p, text := range test.want {
				if want[p] = text; text == "" {
					delete(want, p)
				}
			}
			if diff := cmp.Diff(want, changed); diff != "" {
				t.Fatalf("the test itself is wrong (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(want, files(t, b.dir)); diff != "" {
				t.Errorf("the second state (-want +got):\n%s", diff)
			}
			b.agrees(two.Commit)
			b.soundShadow()
		})
	}
}

// withoutLog leaves out what is ignored: whether it is there after a restore
// depends on whether it was recorded in between.
func withoutLog(files map[string]string) map[string]string {
	files = maps.Clone(files)
	delete(files, "x.log")
	return files
}

// edit changes a file without a change to its directory.
func edit(t *testing.T, p, text string) {
	t.Helper()
	f, err := os.OpenFile(p, os.O_WRONLY|os.O_TRUNC, 0)
	must(t, err)
	_, err = f.WriteString(text)
	must(t, err)
	must(t, f.Close())
}

// soundShadow has git look through the shadow repositories.
func (b *bench) soundShadow() {
	b.t.Helper()
	dirs, err := filepath.Glob(filepath.Join(b.root, "scratch", "*", "git"))
	must(b.t, err)
	for _, dir := range dirs {
		if out := gitIn(b.t, b.root, "--git-dir="+dir, "fsck", "--full", "--strict"); strings.Contains(out, "missing") || strings.Contains(out, "error") {
			b.t.Errorf("the shadow: %s", out)
		}
		packs, err := filepath.Glob(filepath.Join(dir, "objects", "pack", "*.idx"))
		must(b.t, err)
		for _, p := range packs {
			gitIn(b.t, b.root, "verify-pack", p)
		}
	}
}
