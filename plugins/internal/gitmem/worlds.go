package gitmem

import (
	"context"
	"io"

	"github.com/crucible-engine/crucible/sdk/world"
)

// Snapshot records the present state of a world, see world.World. The token is
// the commit.
func (s *Store) Snapshot(ctx context.Context, id string, req world.SnapshotRequest) (world.Snapshot, error) {
	m, err := s.Get(ctx, id)
	if err != nil {
		return world.Snapshot{}, err
	}
	return m.Snapshot(ctx, req)
}

// Restore brings a recorded state of a world back, see world.World.
func (s *Store) Restore(ctx context.Context, id, token string) (string, error) {
	m, err := s.Get(ctx, id)
	if err != nil {
		return "", err
	}
	return m.Restore(ctx, token)
}

// Diff writes what changed in a world since a state, see world.World.
func (s *Store) Diff(ctx context.Context, id, fromToken string, limit int64, w io.Writer) (world.Diffed, error) {
	m, err := s.Get(ctx, id)
	if err != nil {
		return world.Diffed{}, err
	}
	return m.Diff(ctx, fromToken, limit, w)
}

// Read writes a file of a state of a world, see world.World.
func (s *Store) Read(ctx context.Context, id, token, name string, w io.Writer) (world.File, error) {
	m, err := s.Get(ctx, id)
	if err != nil {
		return world.File{}, err
	}
	return m.Read(ctx, token, name, w)
}
