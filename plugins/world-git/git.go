package main

import (
	"context"
	"io"
	"sync"

	"github.com/crucible-engine/crucible/plugins/internal/gitmem"
	"github.com/crucible-engine/crucible/sdk/contract"
	"github.com/crucible-engine/crucible/sdk/plugin"
	"github.com/crucible-engine/crucible/sdk/world"
)

// git is the world. It is the memory and nothing else: there are no commands,
// and a state takes effect by being there.
type git struct {
	mu    sync.Mutex
	store *gitmem.Store
}

var (
	_ world.World       = (*git)(nil)
	_ plugin.Configurer = (*git)(nil)
	_ plugin.Validator  = (*git)(nil)
	_ plugin.Checker    = (*git)(nil)
	_ plugin.Shutdowner = (*git)(nil)
)

// Validate finds no key that is known.
func (*git) Validate(_ context.Context, settings plugin.Settings) ([]plugin.Diagnostic, error) {
	return settings.Decode(&struct{}{}), nil
}

// Configure takes the directory where memories are kept.
func (g *git) Configure(_ context.Context, config plugin.Config) error {
	if err := plugin.Err(config.Settings.Decode(&struct{}{})); err != nil {
		return err
	}
	store, err := gitmem.NewStore(config.ScratchDir)
	if err != nil {
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.store = store
	return nil
}

// Check tells which git there is.
func (g *git) Check(ctx context.Context) (plugin.Report, error) {
	s, err := g.memories()
	if err != nil {
		return plugin.Report{}, err
	}
	version, err := s.Version(ctx)
	if err != nil {
		return plugin.Report{Diagnostics: []plugin.Diagnostic{{Severity: plugin.SeverityError, Message: err.Error()}}}, nil
	}
	return plugin.Report{Facts: map[string]string{"git": version}}, nil
}

// Shutdown lets go of the workspaces; their files stay.
func (g *git) Shutdown(ctx context.Context) error {
	s, err := g.memories()
	if err != nil {
		return nil //nolint:nilerr // never configured: nothing is held
	}
	return s.CloseAll(ctx)
}

func (g *git) memories() (*gitmem.Store, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.store == nil {
		return nil, &contract.Error{Kind: contract.KindInvalid, Op: "use the world", Message: "it was not configured"}
	}
	return g.store, nil
}

// with calls a memory once there is a store.
func with[T any](g *git, call func(*gitmem.Store) (T, error)) (T, error) {
	s, err := g.memories()
	if err != nil {
		var none T
		return none, err
	}
	return call(s)
}

func (g *git) Open(ctx context.Context, req world.OpenRequest, log func(world.LogLine)) (world.Opened, error) {
	if c := req.Commands; c.Apply != "" || c.Snapshot != "" || c.Restore != "" {
		return world.Opened{}, &contract.Error{Kind: contract.KindUnsupported, Op: "open workspace", Message: "this world runs no apply, snapshot or restore command; the command world does"}
	}
	return with(g, func(s *gitmem.Store) (world.Opened, error) { return s.Open(ctx, req, log) })
}

func (g *git) Snapshot(ctx context.Context, id string, req world.SnapshotRequest) (world.Snapshot, error) {
	return with(g, func(s *gitmem.Store) (world.Snapshot, error) { return s.Snapshot(ctx, id, req) })
}

func (g *git) Restore(ctx context.Context, id, token string) (string, error) {
	return with(g, func(s *gitmem.Store) (string, error) { return s.Restore(ctx, id, token) })
}

// Apply has nothing to do.
func (g *git) Apply(ctx context.Context, id string, _ []world.EnvVar, _ func(world.LogLine)) (world.Applied, error) {
	return with(g, func(s *gitmem.Store) (world.Applied, error) {
		err := s.Has(ctx, id)
		return world.Applied{OK: err == nil}, err
	})
}

func (g *git) Diff(ctx context.Context, id, from string, limit int64, w io.Writer) (world.Diffed, error) {
	return with(g, func(s *gitmem.Store) (world.Diffed, error) { return s.Diff(ctx, id, from, limit, w) })
}

func (g *git) Read(ctx context.Context, id, token, path string, w io.Writer) (world.File, error) {
	return with(g, func(s *gitmem.Store) (world.File, error) { return s.Read(ctx, id, token, path, w) })
}

func (g *git) Fork(ctx context.Context, id string, req world.ForkRequest) (world.Forked, error) {
	return with(g, func(s *gitmem.Store) (world.Forked, error) { return s.Fork(ctx, id, req) })
}

func (g *git) Adopt(ctx context.Context, id, forkID string) (world.Adopted, error) {
	return with(g, func(s *gitmem.Store) (world.Adopted, error) { return s.Adopt(ctx, id, forkID) })
}

func (g *git) Close(ctx context.Context, id string) error {
	_, err := with(g, func(s *gitmem.Store) (struct{}, error) { return struct{}{}, s.Close(ctx, id) })
	return err
}
