package conformance

import (
	"errors"
	"os"
	"path/filepath"
	"slices"

	"github.com/crucible-engine/crucible/sdk/contract"
	"github.com/crucible-engine/crucible/sdk/world"
)

// forkings are the cases of disposable copies. They need the feature fork.
func forkings() []Case {
	return []Case{
		{Name: "fork", Demand: "A fork holds the state it was made of, and nothing that happens in one is seen in the other.", run: forks},
		{Name: "fork-uncommitted", Demand: "A fork with what is uncommitted holds what changed since the state as well.", run: forksUncommitted},
		{Name: "fork-taken", Demand: "A directory that exists is no place for a fork, and stays as it is.", run: forkTaken},
		{Name: "fork-foreign", Demand: "A token of another world is not found.", run: forkForeign},
		{Name: "fork-close", Demand: "Closing a fork deletes its files, and nothing of its parent.", run: forkClose},
		{Name: "adopt", Demand: "What changed in a fork comes to its parent, beside what changed there.", run: adopts},
		{Name: "adopt-conflict", Demand: "Changes of both sides to the same lines are a conflict that names the path and leaves the parent untouched.", run: adoptsNot},
		{Name: "adopt-foreign", Demand: "A world that is no fork of the parent is not adopted.", run: adoptForeign},
	}
}

// fork makes a fork of a state in a new place.
func (l *land) fork(token string, uncommitted bool) *land {
	l.t.Helper()
	dir := filepath.Join(l.t.TempDir(), "fork")
	forked, err := l.peer.world.Fork(l.t.Context(), l.id, world.ForkRequest{Token: token, Dir: dir, IncludeUncommitted: uncommitted})
	if err != nil {
		l.t.Fatalf("fork: %v", err)
	}
	if forked.WorldID == l.id || forked.Workspace == "" {
		l.t.Fatalf("the fork is %+v", forked)
	}
	return &land{t: l.t, peer: l.peer, id: forked.WorldID, dir: forked.Workspace}
}

// forkable is settled for a plugin that has forks.
func forkable(t T, target Target) (*land, string) {
	t.Helper()
	l, base := settled(t, target)
	l.peer.need(t, world.FeatureFork)
	return l, base
}

func forks(t T, target Target) {
	l, base := forkable(t, target)
	before := treeOf(t, l.dir)
	l.write("top.txt", "changed in the parent\n")
	changed := treeOf(t, l.dir)
	fork := l.fork(base, false)
	fork.wants(before, "a fork of the base:")
	fork.write("top.txt", "changed in the fork\n")
	fork.write("only/here", "x")
	fork.chmod("empty", 0o755)
	token := fork.snapshot("in the fork", false).Token
	l.wants(changed, "after a snapshot of the fork the parent:")
	fork.restore(base)
	fork.wants(before, "after a restore of the fork")
	fork.restore(token)
	l.wants(changed, "after restores of the fork the parent:")
	// A fork is a world of its own, of which there can be several.
	second := l.fork(base, false)
	second.wants(before, "a second fork:")
}

func forksUncommitted(t T, target Target) {
	l, base := forkable(t, target)
	l.write("top.txt", "not recorded\n")
	l.write("untracked", "x")
	l.remove("dir/inner.txt")
	l.chmod("blob", 0o755)
	now := treeOf(t, l.dir)
	l.fork(base, true).wants(now, "the fork:")
	l.wants(now, "the parent:")
}

func forkTaken(t T, target Target) {
	l, base := forkable(t, target)
	dir := t.TempDir()
	mine := filepath.Join(dir, "mine")
	l.must(os.WriteFile(mine, []byte("x"), 0o644))
	if forked, err := l.peer.world.Fork(l.t.Context(), l.id, world.ForkRequest{Token: base, Dir: dir}); err == nil {
		t.Errorf("got %+v", forked)
	}
	if found := treeOf(t, dir); len(found) != 1 {
		t.Errorf("the directory now has %v", found)
	}
}

func forkForeign(t T, target Target) {
	l, _ := forkable(t, target)
	other := open(t, l.peer, request(t))
	other.write("other", "x")
	foreign := other.snapshot("other", true).Token
	dir := filepath.Join(t.TempDir(), "fork")
	if forked, err := l.peer.world.Fork(l.t.Context(), l.id, world.ForkRequest{Token: foreign, Dir: dir}); !errors.Is(err, contract.ErrNotFound) {
		t.Errorf("got %+v, %v", forked, err)
	}
	if _, err := os.Lstat(dir); err == nil {
		t.Errorf("the refused fork has left its directory")
	}
}

func forkClose(t T, target Target) {
	l, base := forkable(t, target)
	fork := l.fork(base, false)
	fork.write("new", "x")
	before := treeOf(t, l.dir)
	if err := l.peer.world.Close(l.t.Context(), fork.id); err != nil {
		t.Fatalf("close: %v", err)
	}
	if _, err := os.Lstat(fork.dir); err == nil {
		t.Errorf("the fork's directory is left")
	}
	l.wants(before, "after Close of a fork the parent:")
	l.restore(base)
}

func adopts(t T, target Target) {
	l, base := forkable(t, target)
	fork := l.fork(base, false)
	fork.write("top.txt", "one\ntwo\nTHREE\n")
	fork.write("new/file", "from the fork\n")
	fork.remove("dir/inner.txt")
	fork.chmod("empty", 0o755)
	fork.write("blob", "\x00 other bytes \xff")
	l.write("beside", "in the parent\n")
	want := treeOf(t, fork.dir)
	want["beside"] = treeOf(t, l.dir)["beside"]
	adopted, err := l.peer.world.Adopt(l.t.Context(), l.id, fork.id)
	if err != nil || !adopted.Clean || len(adopted.Conflicts) != 0 {
		t.Fatalf("adopt: %+v, %v", adopted, err)
	}
	l.wants(want, "after Adopt")
}

func adoptsNot(t T, target Target) {
	l, base := forkable(t, target)
	fork := l.fork(base, false)
	fork.write("top.txt", "one\nfrom the fork\nthree\n")
	fork.write("new", "from the fork\n")
	l.write("top.txt", "one\nfrom the parent\nthree\n")
	before := treeOf(t, l.dir)
	adopted, err := l.peer.world.Adopt(l.t.Context(), l.id, fork.id)
	if err != nil || adopted.Clean || !slices.Contains(adopted.Conflicts, "top.txt") {
		t.Errorf("adopt: %+v, %v", adopted, err)
	}
	l.wants(before, "after a conflict")
}

func adoptForeign(t T, target Target) {
	l, _ := forkable(t, target)
	before := treeOf(t, l.dir)
	other := open(t, l.peer, request(t))
	other.write("other", "x")
	other.snapshot("other", true)
	for _, id := range []string{other.id, l.id, "no such world"} {
		if adopted, err := l.peer.world.Adopt(l.t.Context(), l.id, id); err == nil {
			t.Errorf("adopt %s: %+v", id, adopted)
		}
	}
	l.wants(before, "after a refused Adopt")
}
