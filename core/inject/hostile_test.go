package inject_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
	"pgregory.net/rapid"

	"github.com/crucible-engine/crucible/core/inject"
	"github.com/crucible-engine/crucible/core/manifest"
)

// obstacle is something that an agent puts where a frozen file belongs.
type obstacle struct {
	name string
	// put makes it in the workspace; outside is a directory next to it.
	put func(t *testing.T, ws, outside string)
	// setup is what Apply says to it in a workspace that was just made; empty
	// when it replaces it too.
	setup string
}

func obstacles() []obstacle {
	const dst = "checks/measure.sh"
	link := func(target, name string) func(*testing.T, string, string) {
		return func(t *testing.T, ws, outside string) {
			check(t, os.MkdirAll(filepath.Dir(filepath.Join(ws, name)), 0o755))
			check(t, os.Symlink(strings.ReplaceAll(target, "OUTSIDE", outside), filepath.Join(ws, name)))
		}
	}
	const isDir, isLink = "a directory is at the destination", "a file or a link where a directory has to be"
	return []obstacle{
		{"another file", func(t *testing.T, ws, _ string) { write(t, filepath.Join(ws, dst), "x", 0o000) }, ""},
		{"a set-user-id bit", func(t *testing.T, ws, _ string) {
			write(t, filepath.Join(ws, dst), "frozen", 0o751)
			check(t, os.Chmod(filepath.Join(ws, dst), 0o751|fs.ModeSetuid))
		}, ""},
		{"a link to a file outside", link("OUTSIDE/victim", dst), ""},
		{"a link to an equal file", link("OUTSIDE/equal", dst), ""},
		{"a link to nothing", link("OUTSIDE/new", dst), ""},
		{"a link to itself", link("measure.sh", dst), ""},
		{"a link to a directory", link("OUTSIDE", dst), ""},
		{"a hard link", func(t *testing.T, ws, outside string) {
			check(t, os.MkdirAll(filepath.Join(ws, "checks"), 0o755))
			check(t, os.Link(filepath.Join(outside, "victim"), filepath.Join(ws, dst)))
		}, ""},
		{"a FIFO", func(t *testing.T, ws, _ string) {
			check(t, os.MkdirAll(filepath.Join(ws, "checks"), 0o755))
			check(t, syscall.Mkfifo(filepath.Join(ws, dst), 0o644))
		}, ""},
		{"an empty directory", func(t *testing.T, ws, _ string) { check(t, os.MkdirAll(filepath.Join(ws, dst), 0o755)) }, isDir},
		{"a full directory", func(t *testing.T, ws, outside string) {
			write(t, filepath.Join(ws, dst, "a/b/c"), "x", 0o400)
			write(t, filepath.Join(ws, dst, "a/.crucible-removed-x/c"), "x", 0o400)
			check(t, os.Symlink(outside, filepath.Join(ws, dst, "out")))
			check(t, os.Link(filepath.Join(outside, "victim"), filepath.Join(ws, dst, "a/hard")))
		}, isDir},
		{"directories without rights", func(t *testing.T, ws, _ string) {
			write(t, filepath.Join(ws, dst, "a/b/c"), "x", 0o000)
			for _, d := range []string{"a/b", "a", ""} {
				check(t, os.Chmod(filepath.Join(ws, dst, d), 0o000))
			}
		}, isDir},
		{"a parent that cannot be written", func(t *testing.T, ws, _ string) {
			check(t, os.MkdirAll(filepath.Join(ws, dst), 0o755))
			check(t, os.Chmod(filepath.Join(ws, "checks"), 0o555))
		}, isDir},
		{"a parent without rights", func(t *testing.T, ws, _ string) { check(t, os.Mkdir(filepath.Join(ws, "checks"), 0o000)) }, ""},
		{"a file for a parent", func(t *testing.T, ws, _ string) { write(t, filepath.Join(ws, "checks"), "x", 0o644) }, isLink},
		{"a link out for a parent", link("OUTSIDE", "checks"), isLink},
		{"a link within for a parent", func(t *testing.T, ws, outside string) {
			check(t, os.MkdirAll(filepath.Join(ws, ".git/hooks"), 0o755))
			link(".git/hooks", "checks")(t, ws, outside)
		}, isLink},
		{"a link to nothing for a parent", link("nowhere", "checks"), isLink},
		{"a tree deeper than a path can be", func(t *testing.T, ws, _ string) { deepTree(t, filepath.Join(ws, dst), 20_000) }, isDir},
		{"a wide tree", func(t *testing.T, ws, _ string) {
			for i := range 3000 {
				check(t, os.MkdirAll(filepath.Join(ws, dst, fmt.Sprint(i)), 0o755))
			}
		}, isDir},
	}
}

// deepTree makes depth directories below each other.
func deepTree(t testing.TB, path string, depth int) {
	t.Helper()
	check(t, os.MkdirAll(path, 0o755))
	fd, err := unix.Open(path, unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	for range depth {
		check(t, err)
		check(t, unix.Mkdirat(fd, "d", 0o755))
		parent := fd
		fd, err = unix.Openat(parent, "d", unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		check(t, unix.Close(parent))
	}
	check(t, err)
	check(t, unix.Close(fd))
}

// outsideDir holds what must not change whatever an agent links to.
func outsideDir(t testing.TB) (dir string, intact func()) {
	t.Helper()
	dir = t.TempDir()
	write(t, filepath.Join(dir, "victim"), "victim", 0o640)
	write(t, filepath.Join(dir, "equal"), "frozen", 0o751)
	return dir, func() {
		t.Helper()
		wantFile(t, filepath.Join(dir, "victim"), "victim", 0o640)
		wantFile(t, filepath.Join(dir, "equal"), "frozen", 0o751)
		if entries, err := os.ReadDir(dir); err != nil || len(entries) != 2 {
			t.Errorf("outside holds %v, %v", entries, err)
		}
	}
}

func TestObstacles(t *testing.T) {
	t.Parallel()
	for _, o := range obstacles() {
		t.Run(o.name, func(t *testing.T) {
			t.Parallel()
			_, set := pack(t)
			outside, intact := outsideDir(t)
			ws := t.TempDir()
			o.put(t, ws, outside)
			err := set.Apply(t.Context(), ws)
			if o.setup == "" && err != nil || o.setup != "" && (err == nil || !strings.Contains(err.Error(), o.setup)) {
				t.Errorf("apply: %v, want %q", err, o.setup)
			}
			check(t, set.ApplyFrozen(t.Context(), ws))
			wantFile(t, filepath.Join(ws, "checks/measure.sh"), "frozen", 0o751)
			if entries, err := os.ReadDir(filepath.Join(ws, "checks")); err != nil || len(entries) != 1 {
				t.Errorf("checks holds %v, %v", entries, err)
			}
			if hooks, err := os.ReadDir(filepath.Join(ws, ".git/hooks")); err == nil && len(hooks) != 0 {
				t.Errorf("hooks hold %v", hooks)
			}
			intact()
		})
	}
}

// TestRace places files while something else swaps their directory for a link
// that leads outside, as fast as it can. Whatever Apply answers, nothing may
// arrive outside, and in the end the file is in its place.
func TestRace(t *testing.T) {
	t.Parallel()
	_, set := pack(t)
	outside, intact := outsideDir(t)
	ws := t.TempDir()
	check(t, os.Symlink(outside, filepath.Join(ws, "link")))
	var stop atomic.Bool
	done := make(chan struct{})
	go func() {
		defer close(done)
		checks, link, spare := filepath.Join(ws, "checks"), filepath.Join(ws, "link"), filepath.Join(ws, "spare")
		for i := 0; !stop.Load(); i++ {
			// Which of these succeeds depends on who was first; none has to.
			os.Rename(checks, spare)
			os.Rename(link, checks)
			os.Rename(checks, link)
			os.Rename(spare, checks)
			os.Symlink(outside, link)
			if i%3 == 0 {
				os.Symlink(filepath.Join(outside, "victim"), filepath.Join(checks, "measure.sh"))
			}
		}
	}()
	placed := 0
	for range 10_000 {
		if set.ApplyFrozen(t.Context(), ws) == nil {
			placed++
		}
	}
	stop.Store(true)
	<-done
	intact()
	t.Logf("placed %d times", placed)
	check(t, set.ApplyFrozen(t.Context(), ws))
	wantFile(t, filepath.Join(ws, "checks/measure.sh"), "frozen", 0o751)
}

// TestAnyTree: after ApplyFrozen the frozen files are right and everything that
// was not in their way is as it was.
func TestAnyTree(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "s"), "frozen", 0o644)
	outside, intact := outsideDir(t)
	name := rapid.SampledFrom([]string{"a", "b", "c"})
	path := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(name, 1, 3).Draw(t, "parts"), "/")
	})
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		ws := filepath.Join(dir, fmt.Sprint("ws", n))
		check(t, os.Mkdir(ws, 0o755))
		root, err := os.OpenRoot(ws) // It keeps the making of the tree inside.
		check(t, err)
		defer root.Close()
		for range rapid.IntRange(0, 8).Draw(rt, "things") {
			p := path.Draw(rt, "path")
			root.MkdirAll(filepath.Dir(p), 0o755) // Fails below a file or a link: then there is one thing less.
			switch rapid.IntRange(0, 3).Draw(rt, "kind") {
			case 0:
				root.WriteFile(p, []byte("agent's"), 0o644)
			case 1:
				root.Mkdir(p, 0o755)
			case 2:
				root.Symlink(outside, p)
			case 3:
				root.Symlink(rapid.SampledFrom([]string{"a", "../b", "nowhere", "."}).Draw(rt, "target"), p)
			}
		}
		dst := path.Draw(rt, "dst")
		before := snapshot(t, ws)
		set, err := inject.Read([]manifest.Inject{{Src: filepath.Join(dir, "s"), Dst: dst, Frozen: true}})
		check(t, err)
		if err := set.ApplyFrozen(t.Context(), ws); err != nil {
			rt.Fatal(err)
		}
		after := snapshot(t, ws)
		if after[dst] != "file frozen" {
			rt.Fatalf("%s is %q", dst, after[dst])
		}
		for p, was := range before {
			if !related(p, dst) && after[p] != was && !strings.HasPrefix(p, blocked(before, dst)+"/") {
				rt.Fatalf("%s was %q and is %q", p, was, after[p])
			}
		}
		for p := range after {
			if _, was := before[p]; !was && !related(p, dst) {
				rt.Fatalf("%s is new", p)
			}
		}
		intact()
	})
}

// related reports whether one path is the other or above it.
func related(p, q string) bool {
	return p == q || strings.HasPrefix(p, q+"/") || strings.HasPrefix(q, p+"/")
}

// blocked is the first component of dst that is not a directory.
func blocked(tree map[string]string, dst string) string {
	parts := strings.Split(dst, "/")
	for i := range parts {
		if p := strings.Join(parts[:i+1], "/"); tree[p] != "" && tree[p] != "dir" {
			return p
		}
	}
	return dst
}

func snapshot(t testing.TB, root string) map[string]string {
	t.Helper()
	tree := map[string]string{}
	check(t, filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		rel, relErr := filepath.Rel(root, p)
		if err := errors.Join(err, relErr); err != nil || rel == "." {
			return err
		}
		switch {
		case d.IsDir():
			tree[rel] = "dir"
		case d.Type() == fs.ModeSymlink:
			target, err := os.Readlink(p)
			tree[rel] = "link " + target
			return err
		default:
			data, err := os.ReadFile(p)
			tree[rel] = "file " + string(data)
			return err
		}
		return nil
	}))
	return tree
}
