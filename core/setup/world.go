package setup

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/crucible-engine/crucible/core/manifest"
	"github.com/crucible-engine/crucible/sdk/world"
)

// World is a world bound to the workspace of one run.
type World struct {
	plugin world.World
	open   world.OpenRequest
	log    func(world.LogLine)
	id     string
}

func openRequest(req Request, m *manifest.Manifest) world.OpenRequest {
	open := world.OpenRequest{
		RunID: req.RunID, Workspace: m.Workspace.Dir, ManifestDir: m.Dir,
		Commands: world.Commands{
			Setup: m.Workspace.SetupCmd, Apply: m.World.ApplyCmd, Snapshot: m.World.SnapshotCmd, Restore: m.World.RestoreCmd,
			SetupTimeout: m.Workspace.SetupTimeout, ApplyTimeout: m.World.ApplyTimeout,
			SnapshotTimeout: m.World.SnapshotTimeout, RestoreTimeout: m.World.RestoreTimeout,
		},
		Exclude: excluded(m.Workspace.Dir, req.StateDir, req.SteerFile),
	}
	if m.Workspace.SetupCmd != "" || m.World.HasCommands() {
		open.Env = variables(req.Env)
	}
	if m.Repo != nil {
		open.Source = &world.Source{URL: m.Repo.URL, Path: m.Repo.Dir, Ref: m.Repo.Ref}
	}
	return open
}

// variables reads NAME=VALUE entries.
func variables(env []string) []world.EnvVar {
	out := make([]world.EnvVar, 0, len(env))
	for _, entry := range env {
		if name, value, ok := strings.Cut(entry, "="); ok && name != "" {
			out = append(out, world.EnvVar{Name: name, Value: value})
		}
	}
	return out
}

// excluded lists the engine's own paths that lie inside the workspace.
func excluded(workspace string, paths ...string) []string {
	var rel []string
	for _, p := range paths {
		if r, inside := relative(workspace, p); inside {
			rel = append(rel, r)
		}
	}
	return rel
}

func discard(world.LogLine) {}

func (w *World) attach(ctx context.Context) (world.Opened, error) {
	log := w.log
	if log == nil {
		log = discard
	}
	opened, err := w.plugin.Open(ctx, w.open, log)
	w.id = opened.WorldID
	return opened, err
}

// again makes a call, and makes it a second time on a world opened anew when
// the plugin died in it. Only calls that are safe to repeat go through here.
func again[T any](ctx context.Context, w *World, call func(id string) (T, error)) (T, error) {
	v, err := call(w.id)
	var lost interface{ WorldLost() bool }
	if !errors.As(err, &lost) || !lost.WorldLost() || ctx.Err() != nil {
		return v, err
	}
	w.open.Attach = true
	if _, openErr := w.attach(ctx); openErr != nil {
		return v, errors.Join(err, fmt.Errorf("open the workspace again: %w", openErr))
	}
	return call(w.id)
}

// Snapshot records the present state.
func (w *World) Snapshot(ctx context.Context, req world.SnapshotRequest) (world.Snapshot, error) {
	return again(ctx, w, func(id string) (world.Snapshot, error) { return w.plugin.Snapshot(ctx, id, req) })
}

// Restore brings a recorded state back.
func (w *World) Restore(ctx context.Context, token string) (string, error) {
	return again(ctx, w, func(id string) (string, error) { return w.plugin.Restore(ctx, id, token) })
}

// Apply makes the present state take effect. It is not repeated when the plugin
// dies: nobody knows what the command has done by then.
func (w *World) Apply(ctx context.Context, log func(world.LogLine)) (world.Applied, error) {
	return w.plugin.Apply(ctx, w.id, nil, log)
}

// Diff appends the change since a recorded state to out.
func (w *World) Diff(ctx context.Context, fromToken string, max int64, out *bytes.Buffer) (world.Diffed, error) {
	start := out.Len()
	return again(ctx, w, func(id string) (world.Diffed, error) {
		out.Truncate(start)
		return w.plugin.Diff(ctx, id, fromToken, max, out)
	})
}

// Close lets go of the world; the workspace stays.
func (w *World) Close(ctx context.Context) error {
	return w.plugin.Close(ctx, w.id)
}
