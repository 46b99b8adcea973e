package conformance

import (
	"os"
	"path/filepath"

	"github.com/crucible-engine/crucible/sdk/world"
)

// land is an opened world with its workspace.
type land struct {
	t    T
	peer *peer
	id   string
	dir  string
}

func noLog(world.LogLine) {}

// request asks for a workspace that does not exist yet.
func request(t T) world.OpenRequest {
	t.Helper()
	return world.OpenRequest{
		RunID: "conformance", Workspace: filepath.Join(t.TempDir(), "workspace"), ManifestDir: t.TempDir(),
	}
}

// open opens a world for a request.
func open(t T, p *peer, req world.OpenRequest) *land {
	t.Helper()
	opened, err := p.world.Open(t.Context(), req, noLog)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	return &land{t: t, peer: p, id: opened.WorldID, dir: req.Workspace}
}

// settled starts the plugin and opens a world with a few files, recorded as
// its base. The files are those of the first state.
func settled(t T, target Target) (*land, string) {
	t.Helper()
	_, p := configured(t, target)
	l := open(t, p, request(t))
	l.first()
	return l, l.snapshot("base", true).Token
}

// first writes the files that the cases begin with.
func (l *land) first() {
	l.t.Helper()
	l.write("top.txt", "one\ntwo\nthree\n")
	l.write("dir/inner.txt", "inner\n")
	l.write("dir/deep/er/leaf", "leaf\n")
	l.write("tool.sh", "#!/bin/sh\n")
	l.chmod("tool.sh", 0o755)
	l.write("blob", "\x00\x01\xff\r\n\r")
	l.write("empty", "")
	l.link("top.txt", "link")
	l.link("no/such/place", "dangling")
}

// must fails the case when a step of its own went wrong.
func (l *land) must(err error) {
	l.t.Helper()
	if err != nil {
		l.t.Fatalf("%v", err)
	}
}

func (l *land) path(name string) string { return filepath.Join(l.dir, filepath.FromSlash(name)) }

func (l *land) write(name, text string) {
	l.t.Helper()
	l.must(os.MkdirAll(filepath.Dir(l.path(name)), 0o755))
	l.must(os.WriteFile(l.path(name), []byte(text), 0o644))
}

func (l *land) chmod(name string, mode os.FileMode) {
	l.t.Helper()
	l.must(os.Chmod(l.path(name), mode))
}

func (l *land) link(to, name string) {
	l.t.Helper()
	l.must(os.Symlink(to, l.path(name)))
}

func (l *land) remove(name string) {
	l.t.Helper()
	l.must(os.RemoveAll(l.path(name)))
}

func (l *land) rename(from, to string) {
	l.t.Helper()
	l.must(os.MkdirAll(filepath.Dir(l.path(to)), 0o755))
	l.must(os.Rename(l.path(from), l.path(to)))
}

func (l *land) snapshot(label string, base bool) world.Snapshot {
	l.t.Helper()
	s, err := l.peer.world.Snapshot(l.t.Context(), l.id, world.SnapshotRequest{Label: label, Base: base})
	if err != nil {
		l.t.Fatalf("snapshot: %v", err)
	}
	return s
}

func (l *land) restore(token string) string {
	l.t.Helper()
	commit, err := l.peer.world.Restore(l.t.Context(), l.id, token)
	if err != nil {
		l.t.Fatalf("restore: %v", err)
	}
	return commit
}
