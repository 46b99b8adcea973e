package setup_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/crucible-engine/crucible/core/manifest"
	"github.com/crucible-engine/crucible/core/setup"
	"github.com/crucible-engine/crucible/sdk/world"
	"github.com/google/go-cmp/cmp"
)

// disk is a world plugin whose base commit is a copy of the workspace's files.
type disk struct {
	world.World // what a test does not expect panics
	opened      []world.OpenRequest
	base        map[string]string
	closed      int
	lose        int // how many calls lose the world first
}

type lostError struct{ error }

func (lostError) WorldLost() bool { return true }

func (d *disk) Open(_ context.Context, req world.OpenRequest, log func(world.LogLine)) (world.Opened, error) {
	log(world.LogLine{Line: []byte("opening")})
	d.opened = append(d.opened, req)
	_, err := os.Stat(req.Workspace)
	if err != nil && req.Attach {
		return world.Opened{}, err
	}
	fresh := err != nil
	return world.Opened{WorldID: fmt.Sprint("w", len(d.opened)), Fresh: fresh}, os.MkdirAll(req.Workspace, 0o700)
}

func (d *disk) Snapshot(_ context.Context, id string, req world.SnapshotRequest) (world.Snapshot, error) {
	if d.lose > 0 {
		d.lose--
		return world.Snapshot{}, lostError{errors.New("world " + id + " is gone")}
	}
	d.base = map[string]string{}
	dir := d.opened[len(d.opened)-1].Workspace
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		rel, _ := filepath.Rel(dir, path)
		data, err := os.ReadFile(path)
		d.base[rel] = string(data)
		return err
	})
	return world.Snapshot{Token: "token of " + id, Commit: strings.Repeat("a", 40)}, err
}

func (d *disk) Read(_ context.Context, _, token, path string, w io.Writer) (world.File, error) {
	text, ok := d.base[path]
	if !ok {
		return world.File{}, fmt.Errorf("%s in %s: not found", path, token)
	}
	_, err := io.WriteString(w, text)
	return world.File{Mode: 0o644, Size: int64(len(text))}, err
}

func (d *disk) Close(context.Context, string) error { d.closed++; return nil }

// plugins hands out one world for every name.
type plugins struct {
	world *disk
	asked []string
}

func (p *plugins) World(_ context.Context, name string) (world.World, error) {
	p.asked = append(p.asked, name)
	return p.world, nil
}

type pack struct {
	dir     string
	plugins *plugins
}

func newPack(t *testing.T, text string) *pack {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := &pack{dir: dir, plugins: &plugins{world: &disk{}}}
	p.write(t, "crucible.toml", text)
	p.write(t, "m.sh", "echo")
	return p
}

func (p *pack) write(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join(p.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (p *pack) request() setup.Request {
	state := filepath.Join(p.dir, "state")
	return setup.Request{
		Manifest: filepath.Join(p.dir, "crucible.toml"), StateDir: state, SteerFile: filepath.Join(p.dir, "STEER.md"),
		RunID: "r", Plugins: p.plugins,
		Write: func(name string, data []byte) error {
			if err := os.MkdirAll(state, 0o700); err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(state, name), data, 0o600)
		},
	}
}

func (p *pack) done(t *testing.T, got *setup.Pack) {
	t.Helper()
	if err := got.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func (p *pack) mustPrepare(t *testing.T) *setup.Pack {
	t.Helper()
	got, err := setup.Prepare(t.Context(), p.request())
	if err != nil {
		t.Fatal(err)
	}
	return got
}

const outside = `
[repo]
path = "."
[workspace]
inject = ["m.sh"]
[agent]
goal = "g"
[judge]
measure_cmd = "sh m.sh"
direction = "lower"
`

const inside = `
[repo]
path = "."
[workspace]
dir = "."
[agent]
goal = "g"
[judge]
measure_cmd = "true"
direction = "lower"
`

func TestFirstSetup(t *testing.T) {
	p := newPack(t, outside)
	var settled *manifest.Manifest
	req := p.request()
	req.Settled = func(m *manifest.Manifest) error { settled = m; return nil }
	got, err := setup.Prepare(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	if settled != got.Manifest || settled == nil {
		t.Error("the caller was not told which manifest counts")
	}
	// The base holds the injects (C-COMMANDS).
	if diff := cmp.Diff(map[string]string{"m.sh": "echo"}, p.plugins.world.base); diff != "" {
		t.Error(diff)
	}
	record, err := manifest.ReadRecord(req.StateDir)
	if err != nil || record.BaseSHA != strings.Repeat("a", 40) || record.BaseToken != "token of w1" {
		t.Errorf("record %+v, %v", record, err)
	}
	if !strings.HasPrefix(got.Identity.Digest, "v3:") || got.Identity.Components[0].BaseSHA != record.BaseSHA || len(got.Notes) != 0 {
		t.Errorf("identity %+v, notes %q", got.Identity, got.Notes)
	}
	if err := got.Close(t.Context()); err != nil || p.plugins.world.closed != 1 {
		t.Errorf("closed %d times, %v", p.plugins.world.closed, err)
	}
}

func TestLaterSetupKeepsTheBaseAndTheIdentity(t *testing.T) {
	p := newPack(t, outside)
	first := p.mustPrepare(t)
	p.write(t, "workspace/kept", "by an agent")
	p.done(t, first)
	second := p.mustPrepare(t)
	p.done(t, second)
	if diff := cmp.Diff(first.Identity, second.Identity); diff != "" {
		t.Error(diff)
	}
	if _, ok := p.plugins.world.base["kept"]; ok {
		t.Error("the base was recorded again")
	}
	// A workspace that was deleted is set up anew.
	if err := os.RemoveAll(filepath.Join(p.dir, "workspace")); err != nil {
		t.Fatal(err)
	}
	p.mustPrepare(t)
	if _, err := os.Stat(filepath.Join(p.dir, "workspace", "m.sh")); err != nil {
		t.Error(err)
	}
}

func TestManifestInsideTheWorkspaceIsFrozen(t *testing.T) {
	p := newPack(t, inside)
	first := p.mustPrepare(t)
	if !slices.ContainsFunc(first.Notes, func(n string) bool { return strings.Contains(n, "first run trusts it") }) {
		t.Errorf("no warning of the first run: %q", first.Notes)
	}
	if !slices.ContainsFunc(first.Notes, func(n string) bool { return strings.Contains(n, "state directory lies inside") }) {
		t.Errorf("no warning of the state directory: %q", first.Notes)
	}
	if diff := cmp.Diff([]string{"state", "STEER.md"}, p.plugins.world.opened[0].Exclude); diff != "" {
		t.Error(diff)
	}
	p.done(t, first)
	p.write(t, "crucible.toml", strings.ReplaceAll(inside, `measure_cmd = "true"`, `measure_cmd = "evil"`))
	second := p.mustPrepare(t)
	if second.Manifest.Judge.MeasureCmd != "true" {
		t.Errorf("the agent's edit counts: %q", second.Manifest.Judge.MeasureCmd)
	}
	if diff := cmp.Diff(first.Identity, second.Identity); diff != "" {
		t.Error(diff)
	}
	if err := second.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if d := p.plugins.world; d.closed != 3 {
		t.Errorf("%d worlds closed, want 1 of the first run and 2 of the second", d.closed)
	}
}

func TestSealUndoesAnEdit(t *testing.T) {
	p := newPack(t, outside)
	got := p.mustPrepare(t)
	path := filepath.Join(p.dir, "state", manifest.RecordName)
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	p.write(t, "state/"+manifest.RecordName, "{}")
	if err := got.Seal(p.request().Write); err != nil {
		t.Fatal(err)
	}
	if now, err := os.ReadFile(path); err != nil || string(now) != string(want) {
		t.Errorf("%v\n%s", err, now)
	}
}

func TestAWorldThatDiesIsOpenedAgain(t *testing.T) {
	p := newPack(t, outside)
	got := p.mustPrepare(t)
	p.plugins.world.lose = 1
	snap, err := got.World.Snapshot(t.Context(), world.SnapshotRequest{Label: "x"})
	if err != nil || snap.Token != "token of w2" || !p.plugins.world.opened[1].Attach {
		t.Errorf("%+v, %v", snap, err)
	}
	p.plugins.world.lose = 2
	if _, err := got.World.Snapshot(t.Context(), world.SnapshotRequest{Label: "x"}); err == nil {
		t.Error("a world that dies twice in a call is tried for ever")
	}
}

func TestOneEngineInAWorkspace(t *testing.T) {
	p := newPack(t, outside)
	first := p.mustPrepare(t)
	req := p.request()
	req.StateDir = filepath.Join(p.dir, "other")
	if _, err := setup.Prepare(t.Context(), req); !errors.Is(err, setup.ErrWorkspaceInUse) || !strings.Contains(err.Error(), "workspace") {
		t.Errorf("got %v", err)
	}
	p.done(t, first)
	if _, err := setup.Prepare(t.Context(), req); err != nil {
		t.Error(err)
	}
}

func TestAWorkspaceThatIsThereIsNotClonedInto(t *testing.T) {
	p := newPack(t, outside)
	p.write(t, "workspace/mine", "x")
	got := p.mustPrepare(t)
	if len(got.Notes) != 1 || !strings.Contains(got.Notes[0], "was not cloned into it") {
		t.Errorf("notes %q", got.Notes)
	}
}

func TestLook(t *testing.T) {
	p := newPack(t, "nonsense = 1\n")
	req := p.request()
	if _, err := setup.Look(req.Manifest, req.StateDir); err == nil || !strings.Contains(err.Error(), "crucible.toml:1:1") {
		t.Errorf("got %v", err)
	}
	p.write(t, "crucible.toml", outside)
	preview, err := setup.Look(req.Manifest, req.StateDir)
	if err != nil || preview.Manifest == nil || preview.Workspace != filepath.Join(p.dir, "workspace") {
		t.Errorf("%+v, %v", preview, err)
	}
	p.mustPrepare(t)
	preview, err = setup.Look(req.Manifest, req.StateDir)
	if err != nil || preview.Manifest != nil || preview.Workspace != filepath.Join(p.dir, "workspace") {
		t.Errorf("%+v, %v", preview, err)
	}
	p.write(t, "state/"+manifest.RecordName, "{")
	if _, err := setup.Look(req.Manifest, req.StateDir); err == nil || !strings.Contains(err.Error(), "record") {
		t.Errorf("got %v", err)
	}
}
