package gitmem_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/crucible-engine/crucible/sdk/world"
)

// player changes a workspace at random and remembers what it was at each
// snapshot.
type player struct {
	b      *bench
	tokens []string
	states map[string]map[string]string
}

// names collide on purpose: a name is a file here and a directory there.
var (
	parts    = []string{"a", "b", "c d", "-x", "é", "new\nline", "*"}
	contents = []string{"", "1\n", "2\n", "two\nlines\n", "crlf\r\n", "\x00binary\xff", "$Id$\n", strings.Repeat("long ", 3000)}
)

func drawPath(t *rapid.T, label string) string {
	n := rapid.IntRange(1, 3).Draw(t, label+" depth")
	var p []string
	for range n {
		p = append(p, rapid.SampledFrom(parts).Draw(t, label))
	}
	return strings.Join(p, "/")
}

func (p *player) write(t *rapid.T) {
	name := p.b.path(drawPath(t, "path"))
	if os.MkdirAll(filepath.Dir(name), 0o755) != nil {
		return // a file is in the way
	}
	_ = os.WriteFile(name, []byte(rapid.SampledFrom(contents).Draw(t, "content")), 0o644)
}

func (p *player) remove(t *rapid.T) { _ = os.RemoveAll(p.b.path(drawPath(t, "path"))) }

func (p *player) move(t *rapid.T) {
	_ = os.Rename(p.b.path(drawPath(t, "from")), p.b.path(drawPath(t, "to")))
}

func (p *player) chmod(t *rapid.T) {
	name := p.b.path(drawPath(t, "path"))
	if info, err := os.Lstat(name); err == nil && info.Mode().IsRegular() {
		_ = os.Chmod(name, rapid.SampledFrom([]os.FileMode{0o644, 0o755, 0o444, 0o600}).Draw(t, "mode"))
	}
}

func (p *player) link(t *rapid.T) {
	name := p.b.path(drawPath(t, "path"))
	if info, err := os.Lstat(name); err == nil && info.IsDir() {
		return
	}
	_ = os.Remove(name)
	_ = os.Symlink(drawPath(t, "target"), name)
}

// moveAndLink puts a link to a directory in the place of the directory.
func (p *player) moveAndLink(t *rapid.T) {
	from, to := drawPath(t, "from"), drawPath(t, "to")
	if os.Rename(p.b.path(from), p.b.path(to)) == nil {
		_ = os.Symlink(p.b.path(to), p.b.path(from))
	}
}

// touch changes a file's content and gives it its old time.
func (p *player) touch(t *rapid.T) {
	name := p.b.path(drawPath(t, "path"))
	info, err := os.Lstat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return
	}
	_ = os.WriteFile(name, []byte(strings.Repeat("t", int(info.Size()))), 0o644)
	_ = os.Chtimes(name, info.ModTime(), info.ModTime())
}

func (p *player) agentGit(t *rapid.T) {
	for _, args := range rapid.SampledFrom([][][]string{
		{{"add", "-A"}}, {{"add", "-A"}, {"commit", "-q", "-m", "x"}}, {{"checkout", "-q", "--detach"}}, {{"rm", "-rfq", "--cached", "."}},
		{{"checkout", "-q", "-B", "other"}}, {{"stash", "-q"}}, {{"gc", "-q", "--prune=now"}}, {{"read-tree", "--empty"}},
	}).Draw(t, "git") {
		_ = gitCommand(p.b.dir, args...).Run()
	}
}

func (p *player) snapshot(t *rapid.T) {
	snap, err := p.b.store.Snapshot(p.b.t.Context(), p.b.id, world.SnapshotRequest{Label: "x"})
	if err != nil {
		t.Fatalf("snapshot: %v", err)
	}
	now := files(p.b.t, p.b.dir)
	if before, ok := p.states[snap.Token]; ok {
		if diff := cmp.Diff(before, now); diff != "" {
			t.Fatalf("two states have one token:\n%s", diff)
		}
	}
	p.states[snap.Token] = now
	p.tokens = append(p.tokens, snap.Token)
}

func (p *player) diff(t *rapid.T) {
	if len(p.tokens) == 0 {
		return
	}
	token := rapid.SampledFrom(p.tokens).Draw(t, "token")
	d, err := p.b.store.Diff(p.b.t.Context(), p.b.id, token, 0, &strings.Builder{})
	if err != nil {
		t.Fatalf("diff: %v", err)
	}
	if same := cmp.Equal(p.states[token], files(p.b.t, p.b.dir)); same != (d.Shortstat == "") {
		t.Fatalf("the same: %v, the difference: %q", same, d.Shortstat)
	}
}

func (p *player) restore(t *rapid.T) {
	if len(p.tokens) == 0 {
		return
	}
	token := rapid.SampledFrom(p.tokens).Draw(t, "token")
	if _, err := p.b.store.Restore(p.b.t.Context(), p.b.id, token); err != nil {
		t.Fatalf("restore: %v", err)
	}
	if diff := cmp.Diff(p.states[token], files(p.b.t, p.b.dir)); diff != "" {
		t.Fatalf("restored (-want +got):\n%s", diff)
	}
	if out, err := gitCommand(p.b.dir, "status", "--porcelain").CombinedOutput(); err != nil || len(out) > 0 {
		t.Fatalf("git status after a restore: %v %s", err, out)
	}
}

func (p *player) reopen(t *rapid.T) {
	p.b.reopen(world.OpenRequest{Attach: rapid.Bool().Draw(t, "attach")})
}

// Whatever happens to the files, a restore brings back exactly what was
// recorded: the set of files, their content, executable bit and link target.
func TestRestoreIsExact(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		root, err := os.MkdirTemp("", "gitmem-property-")
		must(t, err)
		defer os.RemoveAll(root)
		b := &bench{t: t, root: root, dir: filepath.Join(root, "ws"), store: newStore(t, filepath.Join(root, "scratch"))}
		b.open(world.OpenRequest{})
		p := &player{b: b, states: map[string]map[string]string{}}
		defer func() { _ = b.store.CloseAll(t.Context()) }()
		actions := map[string]func(*rapid.T){"": func(*rapid.T) {}}
		for i := range 3 { // these are the most of what an agent does
			actions[fmt.Sprint("write", i)] = p.write
		}
		for name, action := range map[string]func(*rapid.T){
			"remove": p.remove, "move": p.move, "chmod": p.chmod, "link": p.link, "moveAndLink": p.moveAndLink, "touch": p.touch,
			"git": p.agentGit, "snapshot": p.snapshot, "diff": p.diff, "restore": p.restore, "restore again": p.restore, "reopen": p.reopen,
		} {
			actions[name] = action
		}
		rt.Repeat(actions)
	})
}
