package gitmem_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crucible-engine/crucible/sdk/contract"
	"github.com/crucible-engine/crucible/sdk/world"
)

func (b *bench) fork(name, token string, uncommitted bool) *bench {
	b.t.Helper()
	dir := filepath.Join(b.root, "forks", name)
	forked, err := b.store.Fork(b.t.Context(), b.id, world.ForkRequest{Token: token, Dir: dir, IncludeUncommitted: uncommitted})
	if err != nil {
		b.t.Fatalf("fork: %v", err)
	}
	return &bench{t: b.t, root: b.root, dir: forked.Workspace, store: b.store, id: forked.WorldID}
}

func (b *bench) adopt(fork *bench) world.Adopted {
	b.t.Helper()
	adopted, err := b.store.Adopt(b.t.Context(), b.id, fork.id)
	if err != nil {
		b.t.Fatalf("adopt: %v", err)
	}
	return adopted
}

func TestFork(t *testing.T) {
	t.Parallel()
	b, token, want := kept(t)
	b.write(map[string]string{"a": "uncommitted\n", "untracked": "u", ".gitignore": "ignored\n", "ignored": "i"})
	now := files(t, b.dir)
	delete(now, "ignored")
	plain, full := b.fork("plain", token, false), b.fork("full", token, true)
	plain.check(want)
	full.check(now)
	plain.agrees(token)
	if got := full.git("rev-parse", "HEAD"); got != token {
		t.Errorf("HEAD of the fork is %s", got)
	}
	if _, d := full.diff(token, 0); d.Shortstat == "" {
		t.Error("what was not recorded does not count as a change")
	}

	// A fork is a world of its own, and its objects are its own.
	plain.write(map[string]string{"a": "fork\n", "only": "fork"})
	mine := plain.snapshot("mine")
	plain.write(map[string]string{"a": "worse\n"})
	plain.restore(mine.Token)
	plain.agrees(mine.Commit)
	must(t, filepath.WalkDir(plain.path(".git/objects"), func(p string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			must(t, os.Chmod(p, 0o644))
			err = os.WriteFile(p, []byte("garbage"), 0o644)
		}
		return err
	}))
	delete(now, "none")
	b.write(map[string]string{"a": "uncommitted\n"})
	b.restore(token)
	b.check(map[string]string{"a": want["a"], "dir/b": want["dir/b"], "dir/c": want["dir/c"], ".gitignore": want[".gitignore"], "run.sh": want["run.sh"],
		"injected": want["injected"], "new/file": want["new/file"], "link": want["link"], "ignored": "file i"})
	b.agrees(token)
	if _, err := b.store.Restore(t.Context(), b.id, mine.Token); !errors.Is(err, contract.ErrNotFound) {
		t.Errorf("a state of the fork in the parent: %v", err)
	}

	// Closing deletes it, whatever the agent did to it.
	must(t, os.Chmod(full.path("dir"), 0o555))
	full.close()
	plain.close()
	if entries, err := os.ReadDir(filepath.Join(b.root, "forks")); err != nil || len(entries) != 0 {
		t.Errorf("left: %v %v", entries, err)
	}
	if err := b.store.Close(t.Context(), plain.id); !errors.Is(err, contract.ErrNotFound) {
		t.Errorf("closed twice: %v", err)
	}
	// The place can be used again.
	b.fork("plain", token, false).close()
}

func TestForkRefuses(t *testing.T) {
	t.Parallel()
	b, token, _ := kept(t)
	mkdir(t, filepath.Join(b.root, "there"))
	for name, test := range map[string]struct {
		req  world.ForkRequest
		kind error
	}{
		"exists":   {world.ForkRequest{Token: token, Dir: filepath.Join(b.root, "there")}, contract.ErrConflict},
		"parent":   {world.ForkRequest{Token: token, Dir: b.dir}, contract.ErrConflict},
		"relative": {world.ForkRequest{Token: token, Dir: "x"}, contract.ErrInvalid},
		"token":    {world.ForkRequest{Token: "x", Dir: filepath.Join(b.root, "new")}, contract.ErrNotFound},
	} {
		if _, err := b.store.Fork(t.Context(), b.id, test.req); !errors.Is(err, test.kind) {
			t.Errorf("%s: %v, want %v", name, err, test.kind)
		}
	}
	if entries, _ := os.ReadDir(filepath.Join(b.root, "new")); entries != nil {
		t.Error("a fork that failed left files")
	}
	if _, err := b.store.Adopt(t.Context(), b.id, b.id); !errors.Is(err, contract.ErrInvalid) {
		t.Errorf("adopt itself: %v", err)
	}
}

func TestForkOfFork(t *testing.T) {
	t.Parallel()
	b, token, want := kept(t)
	child := b.fork("child", token, false)
	child.write(map[string]string{"a": "child\n"})
	mine := child.snapshot("mine")
	grandchild := child.fork("grandchild", mine.Token, false)
	want["a"] = "file child\n"
	grandchild.check(want)
	grandchild.agrees(mine.Commit)
	grandchild.write(map[string]string{"a": "grandchild\n"})
	if adopted := child.adopt(grandchild); !adopted.Clean {
		t.Errorf("%+v", adopted)
	}
	if got := files(t, child.dir)["a"]; got != "file grandchild\n" {
		t.Error(got)
	}
}

func TestAdopt(t *testing.T) {
	t.Parallel()
	lines := "1\n2\n3\n4\n5\n6\n7\n8\n9\n"
	tests := map[string]struct {
		parent, fork func(b *bench)
		conflicts    []string
		want         map[string]string // changed against the base, "" is absent
	}{
		"only the fork": {
			fork: func(b *bench) {
				b.write(map[string]string{"a": "fork\n", "new": "n"})
				must(b.t, os.Remove(b.path("gone")))
				must(b.t, os.Chmod(b.path("mode"), 0o755))
				relink(b.t, "a", b.path("link"))
			},
			want: map[string]string{"a": "file fork\n", "new": "file n", "gone": "", "mode": "exec m", "link": "link a"},
		},
		"only the parent": {
			parent: func(b *bench) { b.write(map[string]string{"a": "parent\n"}) },
			want:   map[string]string{"a": "file parent\n"},
		},
		"other files": {
			parent: func(b *bench) { b.write(map[string]string{"a": "parent\n"}) },
			fork:   func(b *bench) { b.write(map[string]string{"gone": "fork\n"}) },
			want:   map[string]string{"a": "file parent\n", "gone": "file fork\n"},
		},
		"the same": {
			parent: func(b *bench) { b.write(map[string]string{"a": "x\n", "n": "n"}) },
			fork:   func(b *bench) { b.write(map[string]string{"a": "x\n", "n": "n"}) },
			want:   map[string]string{"a": "file x\n", "n": "file n"},
		},
		"other lines": {
			parent: func(b *bench) { b.write(map[string]string{"lines": "first\n" + lines[2:]}) },
			fork: func(b *bench) {
				b.write(map[string]string{"lines": lines[:16] + "last\n"})
				must(b.t, os.Chmod(b.path("lines"), 0o755))
			},
			want: map[string]string{"lines": "exec first\n" + lines[2:16] + "last\n"},
		},
		"the same line": {
			parent:    func(b *bench) { b.write(map[string]string{"lines": "parent\n" + lines[2:], "keep": "k"}) },
			fork:      func(b *bench) { b.write(map[string]string{"lines": "fork\n" + lines[2:], "a": "fork\n"}) },
			conflicts: []string{"lines"},
			want:      map[string]string{"lines": "file parent\n" + lines[2:], "keep": "file k"},
		},
		"changed and deleted": {
			parent:    func(b *bench) { b.write(map[string]string{"a": "parent\n"}) },
			fork:      func(b *bench) { must(b.t, os.Remove(b.path("a"))) },
			conflicts: []string{"a"},
			want:      map[string]string{"a": "file parent\n"},
		},
		"both new": {
			parent:    func(b *bench) { b.write(map[string]string{"new\nline": "p"}) },
			fork:      func(b *bench) { b.write(map[string]string{"new\nline": "f"}) },
			conflicts: []string{"new\nline"},
			want:      map[string]string{"new\nline": "file p"},
		},
		"binary": {
			parent:    func(b *bench) { b.write(map[string]string{"a": "\x00p"}) },
			fork:      func(b *bench) { b.write(map[string]string{"a": "\x00f"}) },
			conflicts: []string{"a"},
			want:      map[string]string{"a": "file \x00p"},
		},
		"recorded meanwhile": {
			parent: func(b *bench) { b.write(map[string]string{"a": "parent\n"}); b.snapshot("meanwhile") },
			fork:   func(b *bench) { b.write(map[string]string{"gone": "fork\n"}); b.snapshot("mine") },
			want:   map[string]string{"a": "file parent\n", "gone": "file fork\n"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, func(dir string) {
				writeFiles(t, dir, map[string]string{"a": "a\n", "gone": "g", "mode": "m", "lines": lines})
			})
			token := b.snapshot("base").Token
			b.write(map[string]string{"uncommitted": "u"})
			want := files(t, b.dir)
			fork := b.fork("f", token, true)
			if test.parent != nil {
				test.parent(b)
			}
			if test.fork != nil {
				test.fork(fork)
			}
			adopted := b.adopt(fork)
			if diff := cmp.Diff(world.Adopted{Clean: test.conflicts == nil, Conflicts: test.conflicts}, adopted); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			for p, text := range test.want {
				if want[p] = text; text == "" {
					delete(want, p)
				}
			}
			b.check(want)
			two := b.snapshot("adopted")
			b.agrees(two.Commit)
			fork.close()
			b.write(map[string]string{"a": "junk"})
			b.restore(two.Token)
			b.check(want)
			b.restore(token)
			b.restore(two.Token)
			b.check(want)
			b.git("fsck", "--full")
		})
	}
}

// A fork that an earlier process made can still be deleted.
func TestForkOfAnEarlierProcess(t *testing.T) {
	t.Parallel()
	b, token, _ := kept(t)
	fork := b.fork("f", token, false)
	b.reopen(world.OpenRequest{Attach: true})
	must(t, b.store.Close(t.Context(), fork.id))
	if _, err := os.Lstat(fork.dir); err == nil {
		t.Error("the fork is left")
	}
}
