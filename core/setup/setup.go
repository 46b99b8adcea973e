// Package setup brings a pack to the point where a run can begin: the manifest
// is loaded, from the pristine base commit where that matters, the workspace
// opened, the injects placed, the base recorded, the identity computed. It
// decides nothing about candidates.
package setup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/crucible-engine/crucible/core/diag"
	"github.com/crucible-engine/crucible/core/identity"
	"github.com/crucible-engine/crucible/core/inject"
	"github.com/crucible-engine/crucible/core/manifest"
	"github.com/crucible-engine/crucible/sdk/world"
)

// Plugins starts world plugins by name; core/host implements it.
type Plugins interface {
	World(ctx context.Context, name string) (world.World, error)
}

// Request says which pack is to be prepared.
type Request struct {
	// Manifest is the path of the manifest.
	Manifest string
	// Workspace stands in for [workspace].dir, empty for the manifest's own. With
	// it nothing is frozen: it is for trying a pack on a copy.
	Workspace string
	// StateDir is the state directory; it holds the record of the first setup.
	StateDir string
	// SteerFile is where the operator writes; it is kept out of snapshots.
	SteerFile string
	RunID     string
	Plugins   Plugins
	// Write replaces a file of the state directory atomically.
	Write func(name string, data []byte) error
	// Env is the environment of the pack's commands, as NAME=VALUE: the engine's,
	// as the measure command has it (C-COMMANDS). A world that runs none gets none.
	Env []string
	// Log gets the lines that the setup command prints. It may be nil.
	Log func(world.LogLine)
	// Settled is called as soon as it is known which manifest counts, so that the
	// caller can start what it needs while the workspace is opened, or refuse the
	// manifest. It may be nil.
	Settled func(*manifest.Manifest) error
}

// Pack is a pack that is ready to run.
type Pack struct {
	Manifest *manifest.Manifest
	World    *World
	Injects  *inject.Set
	Identity identity.RunIdentity
	// Notes are what the operator has to know, loudest first.
	Notes []string

	record manifest.Record
	base   *baseReader
	lock   *os.File // of the workspace; nil before it exists
}

// Preview is what can be known of a pack without the lock of its state directory.
type Preview struct {
	// Manifest is nil when only Prepare can tell which text counts.
	Manifest *manifest.Manifest
	// Workspace is an absolute path.
	Workspace string
}

// Look loads the manifest for a state directory in which nothing was set up
// yet, so that a faulty one is refused before anything is written or started.
func Look(path, stateDir string) (Preview, error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return Preview{}, fmt.Errorf("%s: no such file", path)
	}
	record, err := manifest.ReadRecord(stateDir)
	if err == nil {
		return Preview{Workspace: record.Workspace}, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return Preview{}, fmt.Errorf("read the record of the first setup: %w", err)
	}
	m, err := manifest.Load(path)
	if err != nil {
		return Preview{}, err
	}
	return Preview{Manifest: m, Workspace: m.Workspace.Dir}, nil
}

// Prepare prepares a pack. The caller holds the lock of the state directory.
func Prepare(ctx context.Context, req Request) (*Pack, error) {
	p := &Pack{}
	record, err := manifest.ReadRecord(req.StateDir)
	known := err == nil
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read the record of the first setup: %w", err)
	}
	p.base = &baseReader{req: req, record: record}
	if p.Manifest, err = p.load(ctx, req, known); err != nil {
		return nil, errors.Join(err, p.base.close(ctx))
	}
	if err := p.open(ctx, req, known); err != nil {
		return nil, errors.Join(err, p.Close(ctx))
	}
	p.warn(req)
	p.Identity = p.identity()
	return p, nil
}

// open opens the workspace and, the first time, sets it up.
func (p *Pack) open(ctx context.Context, req Request, known bool) (err error) {
	if req.Settled != nil {
		if err := req.Settled(p.Manifest); err != nil {
			return err
		}
	}
	if req.Workspace != "" {
		p.Manifest.Workspace.Dir = req.Workspace
	}
	if p.Injects, err = inject.ReadManifest(ctx, p.Manifest); err != nil {
		return err
	}
	w := &World{open: openRequest(req, p.Manifest), log: req.Log}
	if w.plugin, err = req.Plugins.World(ctx, p.Manifest.World.Name()); err != nil {
		return err
	}
	dir := p.Manifest.Workspace.Dir
	if p.lock, err = lockWorkspace(dir); err != nil {
		return err
	}
	opened, err := w.attach(ctx)
	if err != nil {
		return fmt.Errorf("open the workspace: %w", err)
	}
	p.World = w
	if p.lock == nil {
		if p.lock, err = lockWorkspace(dir); err != nil {
			return err
		}
	}
	if known && !opened.Fresh {
		p.record = p.base.record
		return nil
	}
	if m := p.Manifest; !opened.Fresh && m.Repo != nil && !m.Inside() {
		p.Notes = append(p.Notes, "WARNING: "+m.Workspace.Dir+" was there already and is used as it is; [repo] "+m.Repo.Source()+" was not cloned into it")
	}
	return p.firstSetup(ctx, req)
}

// load picks the text that counts: the working tree's the first time, then
// whatever frozen loading says.
func (p *Pack) load(ctx context.Context, req Request, known bool) (*manifest.Manifest, error) {
	if !known || req.Workspace != "" {
		return manifest.Load(req.Manifest)
	}
	return manifest.Frozen(ctx, req.Manifest, p.base.record, p.base.read)
}

// Close lets go of the workspace; its files stay.
func (p *Pack) Close(ctx context.Context) error {
	err := p.base.close(ctx)
	if p.World != nil {
		err = errors.Join(err, p.World.Close(ctx))
	}
	if p.lock != nil {
		err = errors.Join(err, p.lock.Close())
	}
	return err
}

// Base is the token of the pristine base.
func (p *Pack) Base() string { return p.record.BaseToken }

// firstSetup places the injects and records the state that holds them as the
// pristine base (C-COMMANDS).
func (p *Pack) firstSetup(ctx context.Context, req Request) error {
	if err := p.Injects.Apply(ctx, p.Manifest.Workspace.Dir); err != nil {
		return fmt.Errorf("place the injects: %w", err)
	}
	base, err := p.World.Snapshot(ctx, world.SnapshotRequest{Label: "crucible: base", Base: true})
	if err != nil {
		return fmt.Errorf("record the base: %w", err)
	}
	p.record = manifest.NewRecord(p.Manifest, base.Commit, base.Token, time.Now().UTC())
	return p.Seal(req.Write)
}

// Seal writes the record of the first setup. Doing so again after a run undoes
// what an agent may have written over it.
func (p *Pack) Seal(write func(name string, data []byte) error) error {
	if err := manifest.WriteRecord(p.record, write); err != nil {
		return fmt.Errorf("write the record of the first setup: %w", err)
	}
	return nil
}

func (p *Pack) warn(req Request) {
	for _, w := range p.Manifest.Warnings {
		w.Severity = diag.Error // the word is in front already
		p.Notes = append(p.Notes, "WARNING: "+w.String())
	}
	if _, inside := relative(p.Manifest.Workspace.Dir, req.StateDir); inside {
		p.Notes = append(p.Notes, "WARNING: the state directory lies inside the workspace, where the agent can write it; "+
			"--state-dir puts it elsewhere")
	}
}

func (p *Pack) identity() identity.RunIdentity {
	source := ""
	if p.Manifest.Repo != nil {
		source = p.Manifest.Repo.Source()
	}
	in := identity.Input{
		Components: []identity.Component{{Repo: source, BaseSHA: p.record.BaseSHA}},
		Manifest:   p.Manifest.Text,
		Injects:    p.Injects.Parts(),
	}
	if j := p.Manifest.Judge; j != nil {
		in.MeasureCmd, in.Direction = j.MeasureCmd, j.Rule.Direction.String()
	}
	return identity.Compute(in)
}

// relative is path relative to dir with forward slashes; false when it is not
// strictly inside.
func relative(dir, path string) (string, bool) {
	rel, err := filepath.Rel(dir, path)
	if err != nil || rel == "." || !filepath.IsLocal(rel) {
		return "", false
	}
	return filepath.ToSlash(rel), true
}
