package conformance

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/crucible-engine/crucible/sdk/contract"
	"github.com/crucible-engine/crucible/sdk/world"
)

// change is something that an agent does to a workspace.
type change struct {
	name, what string
	do         func(l *land)
}

func changes() []change {
	return []change{
		{"add", "an added file", func(l *land) { l.write("new.txt", "new\n") }},
		{"add-directory", "added directories with files", func(l *land) { l.write("new/dir/file", "new\n"); l.write("new/other", "new\n") }},
		{"modify", "a modified file", func(l *land) { l.write("top.txt", "one\nTWO\nthree\n") }},
		{"modify-same-size", "a file of the same size and time with other content", sameSize},
		{"truncate", "an emptied file", func(l *land) { l.write("top.txt", "") }},
		{"delete", "a deleted file", func(l *land) { l.remove("top.txt") }},
		{"delete-directory", "a deleted directory", func(l *land) { l.remove("dir") }},
		{"delete-all", "a workspace with everything deleted", func(l *land) {
			for name := range treeOf(l.t, l.dir) {
				l.remove(name)
			}
		}},
		{"rename", "a renamed file", func(l *land) { l.rename("top.txt", "elsewhere/renamed.txt") }},
		{"swap", "two files in each other's place", func(l *land) {
			l.rename("top.txt", "x")
			l.rename("blob", "top.txt")
			l.rename("x", "blob")
		}},
		{"mode", "a file made executable, and one no longer", func(l *land) { l.chmod("top.txt", 0o755); l.chmod("tool.sh", 0o644) }},
		{"symlink", "links added, retargeted and removed", func(l *land) {
			l.link("/etc/passwd", "out")
			l.remove("link")
			l.link("blob", "link")
			l.remove("dangling")
		}},
		{"file-to-link", "a file replaced by a link", func(l *land) { l.remove("top.txt"); l.link("/etc/passwd", "top.txt") }},
		{"file-to-directory", "a file replaced by a directory", func(l *land) { l.remove("top.txt"); l.write("top.txt/now/inner", "x") }},
		{"directory-to-file", "a directory replaced by a file", func(l *land) { l.remove("dir"); l.write("dir", "x") }},
		{"directory-to-link", "a directory replaced by a link that leads out", directoryToLink},
		{"case", "a name in another case", func(l *land) { l.rename("top.txt", "Top.txt") }},
		{"untracked", "files that no snapshot has seen", func(l *land) { l.write("a.tmp", "x"); l.write("dir/b.tmp", "x") }},
		{"odd-names", "names with spaces, line ends, quotes, globs, leading dashes and dots", func(l *land) {
			for _, name := range oddNames {
				l.write(name, "odd\n")
			}
		}},
		{"own-snapshots", "changes that were recorded in between", func(l *land) {
			l.write("top.txt", "recorded\n")
			l.snapshot("between", false)
			l.remove("dir")
			l.snapshot("between again", false)
		}},
		{"nested-repository", "a repository that the agent left in a directory", func(l *land) {
			l.write("nested/file", "x")
			l.write("nested/.git/HEAD", "ref: refs/heads/main\n")
			l.write("nested/.git/config", "[core]\n\trepositoryformatversion = 0\n")
			l.must(os.MkdirAll(l.path("nested/.git/objects"), 0o755))
			l.must(os.MkdirAll(l.path("nested/.git/refs"), 0o755))
		}},
		{"read-only", "a read-only file and a read-only directory", func(l *land) {
			l.write("sealed/file", "x")
			l.chmod("sealed/file", 0o444)
			l.chmod("sealed", 0o555)
			l.chmod("top.txt", 0o444)
		}},
	}
}

// oddNames are names that a file may have.
var oddNames = []string{
	"a b", "a\nb", "a\tb", `"quoted"`, "'single'", "*", "[x]", "-rf", "--help", ".hidden", "ünï/cödé", "日本語", `back\slash`, "a:b", "~", "#x#",
	"dir with space/-n", "trailing ", "!important", "a.lock", "not-text-\xff\xfe",
}

func sameSize(l *land) {
	info, err := os.Stat(l.path("top.txt"))
	l.must(err)
	l.write("top.txt", "ONE\ntwo\nthree\n")
	l.must(os.Chtimes(l.path("top.txt"), info.ModTime(), info.ModTime()))
}

// directoryToLink puts a link to a directory outside in the way; what is there
// must survive.
func directoryToLink(l *land) {
	outside := l.t.TempDir()
	l.must(os.WriteFile(outside+"/inner.txt", []byte("outside\n"), 0o644))
	l.remove("dir")
	l.link(outside, "dir")
	l.t.Cleanup(func() {
		if text, err := os.ReadFile(outside + "/inner.txt"); err != nil || string(text) != "outside\n" {
			l.t.Errorf("a file outside the workspace is now %q, %v", text, err)
		}
	})
}

// restores are the cases of snapshots and restores.
func restores() []Case {
	cases := []Case{
		{Name: "token", Demand: "A token is UTF-8, not empty, within its limit, and Restore takes it as it is.", run: tokens},
		{Name: "restore-twice", Demand: "A restore may be repeated.", run: restoreTwice},
		{Name: "restore-forward", Demand: "After a restore of an older state a newer one can be restored.", run: restoreForward},
		{Name: "base-token", Demand: "The base can be restored after any number of snapshots.", run: baseToken},
		{Name: "unchanged", Demand: "A snapshot of an unchanged workspace says so, and its token can be restored.", run: unchanged},
		{Name: "foreign-token", Demand: "A token of another world, or of none, is not found and changes nothing.", run: foreignToken},
		{Name: "unknown-world", Demand: "A world that is not open is not found.", run: unknownWorld},
		{Name: "ignored", Demand: "Files that .gitignore matches survive a restore and are in no state.", run: ignored},
		{Name: "excluded", Demand: "The engine's own files are in no state, and no restore touches them.", run: excluded},
		{Name: "one-writer", Demand: "Writing calls at once end well or as a conflict, and leave the world whole.", run: oneWriter},
	}
	for _, c := range changes() {
		cases = append(cases, Case{
			Name: "restore-" + c.name, Demand: fmt.Sprintf("A restore undoes %s, and a snapshot keeps it.", c.what),
			run: func(t T, target Target) { undoes(t, target, c) },
		})
	}
	return cases
}

// undoes goes back from a change and forth to it.
func undoes(t T, target Target, c change) {
	l, base := settled(t, target)
	before := treeOf(t, l.dir)
	c.do(l)
	l.restore(base)
	l.wants(before, "after a restore")
	c.do(l)
	// What the agent's own repository holds is its own business.
	after := treeOf(t, l.dir).without("nested/.git")
	changed := l.snapshot(c.name, false).Token
	l.restore(base)
	l.wants(before, "after a second restore")
	l.restore(changed)
	if diff := after.differs(treeOf(t, l.dir).without("nested/.git")); diff != "" {
		t.Errorf("after a restore of the change the workspace is another one:\n%s", diff)
	}
}

// without is the tree but for what lies below a directory.
func (want tree) without(dir string) tree {
	for name := range want {
		if strings.HasPrefix(name, dir+"/") {
			delete(want, name)
		}
	}
	return want
}

func tokens(t T, target Target) {
	l, base := settled(t, target)
	if base == "" || len(base) > contract.MaxToken || !utf8.ValidString(base) {
		t.Errorf("the token is %.100q, %d bytes", base, len(base))
	}
	l.write("top.txt", "changed\n")
	second := l.snapshot("second", false)
	if second.Token == base || !second.Changed || second.Shortstat == "" || second.Commit == "" {
		t.Errorf("the snapshot of a change is %+v, its base %q", second, base)
	}
	if commit := l.restore(second.Token); commit != second.Commit {
		t.Errorf("Restore says commit %q, Snapshot said %q", commit, second.Commit)
	}
}

func restoreTwice(t T, target Target) {
	l, base := settled(t, target)
	before := treeOf(t, l.dir)
	l.write("new", "x")
	if first, second := l.restore(base), l.restore(base); first != second {
		t.Errorf("the commits are %q and %q", first, second)
	}
	l.wants(before, "after both")
}

func restoreForward(t T, target Target) {
	l, base := settled(t, target)
	l.write("top.txt", "second\n")
	l.write("second", "x")
	after := treeOf(t, l.dir)
	second := l.snapshot("second", false).Token
	l.restore(base)
	l.restore(second)
	l.wants(after, "after the second state was restored")
}

func baseToken(t T, target Target) {
	l, base := settled(t, target)
	before := treeOf(t, l.dir)
	for i := range 5 {
		l.write("top.txt", fmt.Sprintf("state %d\n", i))
		l.write(fmt.Sprintf("new/%d", i), "x")
		l.snapshot(fmt.Sprintf("state %d", i), false)
	}
	l.restore(base)
	l.wants(before, "after the base was restored")
}

func unchanged(t T, target Target) {
	l, base := settled(t, target)
	before := treeOf(t, l.dir)
	again := l.snapshot("nothing new", false)
	if again.Changed || again.Shortstat != "" {
		t.Errorf("the second snapshot is %+v", again)
	}
	for _, token := range []string{again.Token, base} {
		l.write("new", "x")
		l.restore(token)
		l.wants(before, "after a restore")
	}
}

func foreignToken(t T, target Target) {
	l, _ := settled(t, target)
	other := open(t, l.peer, request(t))
	other.write("other.txt", "of another world\n")
	foreign := other.snapshot("other", true).Token
	l.write("top.txt", "not recorded\n")
	before := treeOf(t, l.dir)
	for _, token := range []string{foreign, "no such token", strings.Repeat("0", 40), "HEAD", "--help", "main\tmore", "a\nb"} {
		if _, err := l.peer.world.Restore(l.t.Context(), l.id, token); !errors.Is(err, contract.ErrNotFound) {
			t.Errorf("restore %.60q: got %v", token, err)
		}
		l.wants(before, "after a refused restore")
	}
}

func unknownWorld(t T, target Target) {
	l, base := settled(t, target)
	if err := l.peer.world.Close(l.t.Context(), l.id); err != nil {
		t.Fatalf("close: %v", err)
	}
	for _, id := range []string{l.id, "no such world", "../" + l.id} {
		if _, err := l.peer.world.Restore(l.t.Context(), id, base); !errors.Is(err, contract.ErrNotFound) {
			t.Errorf("restore in world %q: got %v", id, err)
		}
		if _, err := l.peer.world.Snapshot(l.t.Context(), id, world.SnapshotRequest{Label: "x"}); !errors.Is(err, contract.ErrNotFound) {
			t.Errorf("snapshot of world %q: got %v", id, err)
		}
	}
}

func ignored(t T, target Target) {
	l, _ := settled(t, target)
	l.write(".gitignore", "*.cache\nbuild/\n")
	l.write("kept.cache", "before\n")
	l.write("build/out", "before\n")
	base := l.snapshot("with rules", false).Token
	l.write("kept.cache", "after\n")
	l.write("build/out", "after\n")
	l.write("build/more", "after\n")
	if again := l.snapshot("ignored", false); again.Changed {
		t.Errorf("ignored files changed the state: %+v", again)
	}
	l.write("top.txt", "changed\n")
	before := treeOf(t, l.dir)
	l.restore(base)
	before["top.txt"] = `file of 14 bytes: "one\ntwo\nthree\n"`
	l.wants(before, "after a restore")
}

func excluded(t T, target Target) {
	_, p := configured(t, target)
	req := request(t)
	req.Exclude = []string{"state", "own files/STEER.md"}
	l := open(t, p, req)
	l.first()
	l.write("state/session.jsonl", "one\n")
	l.write("own files/STEER.md", "steer\n")
	base := l.snapshot("base", true).Token
	l.write("state/session.jsonl", "one\ntwo\n")
	l.write("state/lock", "")
	l.remove("own files/STEER.md")
	if again := l.snapshot("own files", false); again.Changed {
		t.Errorf("the engine's own files changed the state: %+v", again)
	}
	before := treeOf(t, l.dir)
	l.write("top.txt", "changed\n")
	l.restore(base)
	l.wants(before, "after a restore")
}

// oneWriter does not ask for a conflict: whether two calls meet is chance here.
func oneWriter(t T, target Target) {
	l, base := settled(t, target)
	before := treeOf(t, l.dir)
	l.write("new", "x")
	const calls = 8
	errs := make(chan error, calls)
	for i := range calls {
		go func() {
			var err error
			if i%2 == 0 {
				_, err = l.peer.world.Snapshot(l.t.Context(), l.id, world.SnapshotRequest{Label: "at once"})
			} else {
				_, err = l.peer.world.Restore(l.t.Context(), l.id, base)
			}
			errs <- err
		}()
	}
	var done []error
	for range calls {
		done = append(done, <-errs)
	}
	for _, err := range done {
		if err != nil && !errors.Is(err, contract.ErrConflict) {
			t.Errorf("got %v", err)
		}
	}
	if !slices.Contains(done, nil) {
		t.Errorf("no call went through")
	}
	l.restore(base)
	l.wants(before, "afterwards")
}
