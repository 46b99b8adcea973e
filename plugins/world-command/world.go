package main

import (
	"context"
	"io"
	"sync"

	"github.com/crucible-engine/crucible/plugins/internal/gitmem"
	"github.com/crucible-engine/crucible/plugins/internal/gitplugin"
	"github.com/crucible-engine/crucible/sdk/contract"
	"github.com/crucible-engine/crucible/sdk/world"
)

// commandWorld is the world.
type commandWorld struct {
	gitplugin.Memories

	mu      sync.Mutex
	domains map[string]domain // by world
	latest  map[string]string // the domain's half of the last state, by world
}

var _ world.World = (*commandWorld)(nil)

func newCommand() *commandWorld {
	return &commandWorld{domains: map[string]domain{}, latest: map[string]string{}}
}

// of is the domain of a world; that of a fork has no commands.
func (w *commandWorld) of(id string) domain {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.domains[id]
}

// renew notes the domain's half of the state that a world is in, and reports
// whether it is another one than before.
func (w *commandWorld) renew(id, half string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	before, known := w.latest[id]
	w.latest[id] = half
	return known && before != half
}

func (w *commandWorld) Open(ctx context.Context, req world.OpenRequest, log func(world.LogLine)) (world.Opened, error) {
	if c := req.Commands; (c.Snapshot == "") != (c.Restore == "") {
		return world.Opened{}, &contract.Error{Kind: contract.KindInvalid, Op: "open workspace", Message: "snapshot and restore command come together"}
	}
	opened, err := gitplugin.With(&w.Memories, func(s *gitmem.Store) (world.Opened, error) { return s.Open(ctx, req, log) })
	if err != nil {
		return opened, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, known := w.domains[opened.WorldID]; known && req.Attach && req.Commands == (world.Commands{}) {
		return opened, nil // somebody who only reads
	}
	w.domains[opened.WorldID] = domain{workspace: req.Workspace, commands: req.Commands, env: req.Env}
	return opened, nil
}

// Snapshot commits the files, and then asks the domain what its state is called.
func (w *commandWorld) Snapshot(ctx context.Context, id string, req world.SnapshotRequest) (world.Snapshot, error) {
	snap, err := gitplugin.With(&w.Memories, func(s *gitmem.Store) (world.Snapshot, error) { return s.Snapshot(ctx, id, req) })
	if err != nil {
		return snap, err
	}
	half, err := w.record(ctx, w.of(id))
	if err != nil {
		return world.Snapshot{}, err
	}
	snap.Token = token{snap.Commit, half}.String()
	if w.renew(id, half) {
		snap.Changed = true
	}
	return snap, nil
}

// record runs snapshot_cmd and gives the domain's half of the token.
func (w *commandWorld) record(ctx context.Context, d domain) (string, error) {
	c := command{name: "snapshot_cmd", script: d.commands.Snapshot, timeout: d.commands.SnapshotTimeout}
	if c.script == "" {
		return "", nil
	}
	out, err := d.run(ctx, c)
	if err == nil {
		err = fault(c, out.err(c))
	}
	if err != nil {
		return "", err
	}
	if out.long {
		return "", fault(c, errTooLong)
	}
	return out.last, fault(c, checkDomain(out.last))
}

// Restore puts the files back, and then has the domain follow.
func (w *commandWorld) Restore(ctx context.Context, id, text string) (string, error) {
	t := splitToken(text)
	commit, err := gitplugin.With(&w.Memories, func(s *gitmem.Store) (string, error) { return s.Restore(ctx, id, t.commit) })
	if err != nil {
		return "", err
	}
	d := w.of(id)
	c := command{
		name: "restore_cmd", script: d.commands.Restore, timeout: d.commands.RestoreTimeout,
		env: []world.EnvVar{{Name: "CRUCIBLE_TOKEN", Value: t.domain}},
	}
	if c.script == "" {
		return commit, nil
	}
	out, err := d.run(ctx, c)
	if err == nil {
		err = fault(c, out.err(c))
	}
	if err != nil {
		return "", err
	}
	w.renew(id, t.domain)
	return commit, nil
}

// Apply runs apply_cmd. A candidate that cannot be applied is an answer.
func (w *commandWorld) Apply(ctx context.Context, id string, env []world.EnvVar, log func(world.LogLine)) (world.Applied, error) {
	if _, err := gitplugin.With(&w.Memories, func(s *gitmem.Store) (struct{}, error) { return struct{}{}, s.Has(ctx, id) }); err != nil {
		return world.Applied{}, err
	}
	d := w.of(id)
	c := command{name: "apply_cmd", script: d.commands.Apply, timeout: d.commands.ApplyTimeout, env: env, log: log}
	if c.script == "" {
		return world.Applied{OK: true}, nil
	}
	out, err := d.run(ctx, c)
	if err != nil {
		return world.Applied{}, err
	}
	applied := world.Applied{OK: out.exit.Success(), ExitCode: out.exit.Code}
	if fault := out.err(c); fault != nil {
		applied.Note = fault.Error()
	}
	return applied, nil
}

func (w *commandWorld) Diff(ctx context.Context, id, from string, limit int64, out io.Writer) (world.Diffed, error) {
	return gitplugin.With(&w.Memories, func(s *gitmem.Store) (world.Diffed, error) {
		return s.Diff(ctx, id, splitToken(from).commit, limit, out)
	})
}

func (w *commandWorld) Read(ctx context.Context, id, text, path string, out io.Writer) (world.File, error) {
	return gitplugin.With(&w.Memories, func(s *gitmem.Store) (world.File, error) {
		return s.Read(ctx, id, splitToken(text).commit, path, out)
	})
}

func (w *commandWorld) Fork(ctx context.Context, id string, req world.ForkRequest) (world.Forked, error) {
	req.Token = splitToken(req.Token).commit
	return gitplugin.With(&w.Memories, func(s *gitmem.Store) (world.Forked, error) { return s.Fork(ctx, id, req) })
}

func (w *commandWorld) Adopt(ctx context.Context, id, forkID string) (world.Adopted, error) {
	return gitplugin.With(&w.Memories, func(s *gitmem.Store) (world.Adopted, error) { return s.Adopt(ctx, id, forkID) })
}

func (w *commandWorld) Close(ctx context.Context, id string) error {
	_, err := gitplugin.With(&w.Memories, func(s *gitmem.Store) (struct{}, error) { return struct{}{}, s.Close(ctx, id) })
	return err
}
