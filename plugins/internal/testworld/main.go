// Command testworld stands in for a world with commands in the end-to-end
// tests: git memory, and an apply command that can fail. It runs nothing else.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/crucible-engine/crucible/plugins/internal/gitmem"
	"github.com/crucible-engine/crucible/sdk"
	"github.com/crucible-engine/crucible/sdk/plugin"
	"github.com/crucible-engine/crucible/sdk/proc"
	"github.com/crucible-engine/crucible/sdk/world"
)

func main() {
	info := sdk.Info{Name: "command", Version: "0.0.1", Features: []string{world.FeatureCommands}}
	sdk.ServeWorld(info, &testWorld{apply: map[string]world.OpenRequest{}})
}

type testWorld struct {
	world.World // Fork and Adopt are not asked for
	store       *gitmem.Store

	mu    sync.Mutex
	apply map[string]world.OpenRequest // by world
}

func (w *testWorld) Configure(_ context.Context, config plugin.Config) (err error) {
	w.store, err = gitmem.NewStore(config.ScratchDir)
	return err
}

func (w *testWorld) Open(ctx context.Context, req world.OpenRequest, log func(world.LogLine)) (world.Opened, error) {
	opened, err := w.store.Open(ctx, req, log)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.apply[opened.WorldID] = req
	return opened, err
}

func (w *testWorld) Apply(ctx context.Context, id string, _ []world.EnvVar, _ func(world.LogLine)) (world.Applied, error) {
	w.mu.Lock()
	req := w.apply[id]
	w.mu.Unlock()
	command := proc.Shell(req.Commands.Apply)
	command.Dir, command.Env = req.Workspace, os.Environ()
	exit, err := proc.Run(ctx, command)
	if err != nil {
		return world.Applied{}, err
	}
	return world.Applied{OK: exit.Code == 0, ExitCode: exit.Code, Note: fmt.Sprintf("exit %d", exit.Code)}, nil
}

func (w *testWorld) Snapshot(ctx context.Context, id string, req world.SnapshotRequest) (world.Snapshot, error) {
	return w.store.Snapshot(ctx, id, req)
}

func (w *testWorld) Restore(ctx context.Context, id, token string) (string, error) {
	return w.store.Restore(ctx, id, token)
}

func (w *testWorld) Diff(ctx context.Context, id, from string, limit int64, out io.Writer) (world.Diffed, error) {
	return w.store.Diff(ctx, id, from, limit, out)
}

func (w *testWorld) Close(ctx context.Context, id string) error { return w.store.Close(ctx, id) }
