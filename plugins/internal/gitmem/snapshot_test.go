package gitmem_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/crucible-engine/crucible/sdk/world"
)

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	base := b.snapshot("base")
	b.agrees(base.Commit)
	b.write(map[string]string{
		"a": "1", "dir/b": "2", "with space": "3", "new\nline": "4", "ünïcödé/файл": "5", "-dash": "6", "q'\"\\$": "7",
		"dir/deep/er/x": "8", "empty": "", "*glob?[x]": "9", ":(top)magic": "10", "trailing ": "11", "\xff\xfe": "12", "back\\slash": "13", "a:b": "14",
	})
	must(t, os.Chmod(b.path("dir/b"), 0o755))
	must(t, os.Symlink("../a", b.path("dir/link")))
	must(t, os.Symlink("/nowhere", b.path("dangling")))
	must(t, os.Symlink("dir", b.path("dirlink")))
	want := files(t, b.dir)
	one := b.snapshot("iter 1: keep")
	if !one.Changed || one.Token != one.Commit || !strings.Contains(one.Shortstat, "18 files changed") {
		t.Errorf("snapshot: %+v", one)
	}
	b.agrees(one.Commit)
	if got := b.git("log", "-1", "--format=%s %an %ae"); got != "iter 1: keep crucible crucible@localhost" {
		t.Error(got)
	}
	if again := b.snapshot("again"); again.Changed || again.Token != one.Token || again.Shortstat != "" {
		t.Errorf("unchanged snapshot: %+v", again)
	}

	must(t, os.Remove(b.path("a")))
	must(t, os.RemoveAll(b.path("dir")))
	must(t, os.Rename(b.path("with space"), b.path("renamed")))
	must(t, os.Chmod(b.path("empty"), 0o755))
	must(t, os.Remove(b.path("dangling")))
	b.write(map[string]string{"dangling": "now a file", "dir": "now a file", "junk/x/y": "z", "emptydir/": "", "ünïcödé/файл": "other"})
	patch, d := b.diff(one.Token, 0)
	if !strings.Contains(patch, "rename from with space") || !strings.Contains(d.Shortstat, "files changed") || d.Truncated {
		t.Errorf("diff: %+v\n%s", d, patch)
	}
	two := b.snapshot("two")
	wantTwo := files(t, b.dir)
	b.restore(one.Token)
	b.check(want)
	b.agrees(one.Commit)
	b.restore(two.Token)
	b.check(wantTwo)
	b.restore(base.Token)
	b.check(map[string]string{})
	b.restore(one.Token)
	b.restore(one.Token)
	b.check(want)
	b.soundShadow()
}

// Many snapshots: the shadow joins its packs now and then.
func TestManySnapshots(t *testing.T) {
	t.Parallel()
	b, first, want := kept(t)
	var tokens []string
	for i := range 60 {
		b.write(map[string]string{"a": fmt.Sprint(i), fmt.Sprint("dir/", i): "x"})
		tokens = append(tokens, b.snapshot("x").Token)
	}
	b.soundShadow()
	b.agrees(tokens[59])
	b.restore(first)
	b.check(want)
	b.restore(tokens[30])
	if got := files(t, b.dir)["a"]; got != "file 30" {
		t.Error(got)
	}
}

// A snapshot of many new files, as the first one and later.
func TestManyFiles(t *testing.T) {
	t.Parallel()
	many := map[string]string{}
	for i := range 1500 {
		many[fmt.Sprintf("d%d/e%d/f%d", i%40, i%300, i)] = fmt.Sprint("file ", i)
	}
	b := newBench(t, func(dir string) { writeFiles(t, dir, many) })
	base := b.snapshot("base")
	want := files(t, b.dir)
	b.agrees(base.Commit)
	for name := range many {
		must(t, os.Rename(b.path(name), b.path(name+".moved")))
	}
	b.write(map[string]string{"d1/new": "n"})
	two := b.snapshot("two")
	b.agrees(two.Commit)
	b.soundShadow()
	b.restore(base.Token)
	b.check(want)
	b.agrees(base.Commit)
}

func TestReopen(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	b.write(map[string]string{"a": "1"})
	base := b.snapshot("base")
	want := files(t, b.dir)
	b.write(map[string]string{"a": "2", "b": "3"})
	for _, attach := range []bool{true, false} {
		opened := b.reopen(world.OpenRequest{Attach: attach})
		if opened.Fresh || opened.Commit != base.Commit {
			t.Errorf("attach %v: %+v", attach, opened)
		}
		if _, d := b.diff(base.Token, 0); d.Shortstat == "" {
			t.Error("the change was lost")
		}
	}
	b.restore(base.Token)
	b.check(want)
	b.agrees(base.Commit)
}
