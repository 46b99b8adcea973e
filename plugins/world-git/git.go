package main

import (
	"context"
	"io"

	"github.com/crucible-engine/crucible/plugins/internal/gitmem"
	"github.com/crucible-engine/crucible/plugins/internal/gitplugin"
	"github.com/crucible-engine/crucible/sdk/contract"
	"github.com/crucible-engine/crucible/sdk/world"
)

// git is the world. It is the memory and nothing else: there are no commands,
// and a state takes effect by being there.
type git struct{ gitplugin.Memories }

var _ world.World = (*git)(nil)

func (g *git) Open(ctx context.Context, req world.OpenRequest, log func(world.LogLine)) (world.Opened, error) {
	if c := req.Commands; c.Apply != "" || c.Snapshot != "" || c.Restore != "" {
		return world.Opened{}, &contract.Error{Kind: contract.KindUnsupported, Op: "open workspace", Message: "this world runs no apply, snapshot or restore command; the command world does"}
	}
	return gitplugin.With(&g.Memories, func(s *gitmem.Store) (world.Opened, error) { return s.Open(ctx, req, log) })
}

func (g *git) Snapshot(ctx context.Context, id string, req world.SnapshotRequest) (world.Snapshot, error) {
	return gitplugin.With(&g.Memories, func(s *gitmem.Store) (world.Snapshot, error) { return s.Snapshot(ctx, id, req) })
}

func (g *git) Restore(ctx context.Context, id, token string) (string, error) {
	return gitplugin.With(&g.Memories, func(s *gitmem.Store) (string, error) { return s.Restore(ctx, id, token) })
}

// Apply has nothing to do.
func (g *git) Apply(ctx context.Context, id string, _ []world.EnvVar, _ func(world.LogLine)) (world.Applied, error) {
	return gitplugin.With(&g.Memories, func(s *gitmem.Store) (world.Applied, error) {
		err := s.Has(ctx, id)
		return world.Applied{OK: err == nil}, err
	})
}

func (g *git) Diff(ctx context.Context, id, from string, limit int64, w io.Writer) (world.Diffed, error) {
	return gitplugin.With(&g.Memories, func(s *gitmem.Store) (world.Diffed, error) { return s.Diff(ctx, id, from, limit, w) })
}

func (g *git) Read(ctx context.Context, id, token, path string, w io.Writer) (world.File, error) {
	return gitplugin.With(&g.Memories, func(s *gitmem.Store) (world.File, error) { return s.Read(ctx, id, token, path, w) })
}

func (g *git) Fork(ctx context.Context, id string, req world.ForkRequest) (world.Forked, error) {
	return gitplugin.With(&g.Memories, func(s *gitmem.Store) (world.Forked, error) { return s.Fork(ctx, id, req) })
}

func (g *git) Adopt(ctx context.Context, id, forkID string) (world.Adopted, error) {
	return gitplugin.With(&g.Memories, func(s *gitmem.Store) (world.Adopted, error) { return s.Adopt(ctx, id, forkID) })
}

func (g *git) Close(ctx context.Context, id string) error {
	_, err := gitplugin.With(&g.Memories, func(s *gitmem.Store) (struct{}, error) { return struct{}{}, s.Close(ctx, id) })
	return err
}
