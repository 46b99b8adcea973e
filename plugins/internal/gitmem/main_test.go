package gitmem_test

import (
	"bytes"
	"context"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crucible-engine/crucible/plugins/internal/gitmem"
	"github.com/crucible-engine/crucible/sdk/world"
)

// Git of the tests themselves gets no configuration of whoever runs them.
func TestMain(m *testing.M) {
	if root := os.Getenv(victimEnv); root != "" {
		victim(root)
	}
	home, err := os.MkdirTemp("", "gitmem-home-")
	if err != nil {
		panic(err)
	}
	for k, v := range map[string]string{"HOME": home, "GIT_CONFIG_NOSYSTEM": "1", "XDG_CONFIG_HOME": home} {
		os.Setenv(k, v)
	}
	code := m.Run()
	os.RemoveAll(home)
	os.Exit(code)
}

// bench is a workspace in a world.
type bench struct {
	t     testing.TB
	root  string
	dir   string // the workspace
	store *gitmem.Store
	id    string
}

func newStore(t testing.TB, dir string) *gitmem.Store {
	t.Helper()
	s, err := gitmem.NewStore(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.CloseAll(context.Background()) })
	return s
}

// newBench opens a workspace that prepare has filled; without prepare it is
// made.
func newBench(t testing.TB, prepare func(dir string)) *bench {
	t.Helper()
	root := t.TempDir()
	t.Cleanup(func() { unlock(root) })
	b := &bench{t: t, root: root, dir: filepath.Join(root, "ws"), store: newStore(t, filepath.Join(root, "scratch"))}
	if prepare != nil {
		mkdir(t, b.dir)
		prepare(b.dir)
	}
	b.open(world.OpenRequest{})
	return b
}

// unlock lets the temporary directory be removed.
func unlock(dir string) {
	_ = filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			_ = os.Chmod(p, 0o700)
		}
		return nil
	})
}

func (b *bench) request(req world.OpenRequest) world.OpenRequest {
	req.RunID, req.Workspace, req.ManifestDir = "run", b.dir, b.root
	return req
}

func (b *bench) open(req world.OpenRequest) world.Opened {
	b.t.Helper()
	opened, err := b.store.Open(b.t.Context(), b.request(req), nil)
	if err != nil {
		b.t.Fatalf("open: %v", err)
	}
	b.id = opened.WorldID
	return opened
}

// reopen does what another process would: the store is given up and a new one
// made.
func (b *bench) reopen(req world.OpenRequest) world.Opened {
	b.t.Helper()
	if err := b.store.CloseAll(b.t.Context()); err != nil {
		b.t.Fatal(err)
	}
	b.store = newStore(b.t, filepath.Join(b.root, "scratch"))
	return b.open(req)
}

func (b *bench) snapshot(label string) world.Snapshot {
	b.t.Helper()
	snap, err := b.store.Snapshot(b.t.Context(), b.id, world.SnapshotRequest{Label: label})
	if err != nil {
		b.t.Fatalf("snapshot %s: %v", label, err)
	}
	return snap
}

func (b *bench) restore(token string) {
	b.t.Helper()
	commit, err := b.store.Restore(b.t.Context(), b.id, token)
	if err != nil {
		b.t.Fatalf("restore: %v", err)
	}
	if commit != token {
		b.t.Fatalf("restore of %s stands on %s", token, commit)
	}
}

func (b *bench) diff(token string, limit int64) (string, world.Diffed) {
	b.t.Helper()
	var out bytes.Buffer
	d, err := b.store.Diff(b.t.Context(), b.id, token, limit, &out)
	if err != nil {
		b.t.Fatalf("diff: %v", err)
	}
	return out.String(), d
}

func (b *bench) close() {
	b.t.Helper()
	if err := b.store.Close(b.t.Context(), b.id); err != nil {
		b.t.Fatal(err)
	}
}

// path is a path in the workspace.
func (b *bench) path(rel string) string { return filepath.Join(b.dir, filepath.FromSlash(rel)) }

// write writes files of the workspace, a directory when the name ends in "/".
func (b *bench) write(files map[string]string) { writeFiles(b.t, b.dir, files) }

func writeFiles(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		p := filepath.Join(dir, filepath.FromSlash(name))
		mkdir(t, filepath.Dir(p))
		if strings.HasSuffix(name, "/") {
			mkdir(t, p)
			continue
		}
		if err := os.WriteFile(p, []byte(files[name]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func mkdir(t testing.TB, dir string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
}

// must fails the test on an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// files is what a state promises about a workspace: path to kind, executable bit
// and content, without .git at the top.
func files(t testing.TB, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, p)
		if err != nil {
			return err
		}
		if rel == ".git" {
			if d.IsDir() {
				return filepath.SkipDir
			}
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		switch {
		case d.IsDir():
		case info.Mode()&fs.ModeSymlink != 0:
			target, err := os.Readlink(p)
			out[rel] = "link " + target
			return err
		case info.Mode().IsRegular():
			kind := "file "
			if info.Mode()&0o100 != 0 {
				kind = "exec "
			}
			data, err := os.ReadFile(p)
			out[rel] = kind + string(data)
			return err
		default:
			out[rel] = info.Mode().Type().String()
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// check compares the workspace with what it should be.
func (b *bench) check(want map[string]string) {
	b.t.Helper()
	if diff := cmp.Diff(want, files(b.t, b.dir)); diff != "" {
		b.t.Fatalf("workspace (-want +got):\n%s", diff)
	}
}

// git runs git as an agent or a person would.
func (b *bench) git(args ...string) string {
	b.t.Helper()
	return gitIn(b.t, b.dir, args...)
}

func gitIn(t testing.TB, dir string, args ...string) string {
	t.Helper()
	out, err := gitCommand(dir, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimRight(string(out), "\n")
}

func gitCommand(dir string, args ...string) *exec.Cmd {
	c := exec.Command("git", append([]string{"-c", "user.name=Agent", "-c", "user.email=agent@example.org", "-c", "protocol.file.allow=always", "-c", "safe.directory=*"}, args...)...)
	c.Dir = dir
	return c
}

// agrees checks that the visible repository stands on a commit, cleanly.
func (b *bench) agrees(commit string) {
	b.t.Helper()
	if got := b.git("rev-parse", "HEAD"); got != commit {
		b.t.Errorf("HEAD is %s, want %s", got, commit)
	}
	if got := b.git("status", "--porcelain"); got != "" {
		b.t.Errorf("git status in the workspace:\n%s", got)
	}
	b.git("fsck", "--full", "--strict")
}
