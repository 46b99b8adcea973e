package check

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/crucible-engine/crucible/core/build"
	"github.com/crucible-engine/crucible/core/decide"
	"github.com/crucible-engine/crucible/core/diag"
	"github.com/crucible-engine/crucible/core/judge"
	"github.com/crucible-engine/crucible/core/manifest"
	"github.com/crucible-engine/crucible/core/setup"
	"github.com/crucible-engine/crucible/sdk/world"
)

// Options say how a pack is tried.
type Options struct {
	// Dir is a directory for the trial alone. Whatever an earlier trial that was
	// killed has left there is put in order first.
	Dir string
	// Skip are paths that are not copied with the pack: the engine's own.
	Skip []string
	// Plugins starts worlds that keep their memory below Dir.
	Plugins setup.Plugins
	// Env is the environment of the pack's commands.
	Env []string
	// Log gets the lines that the commands print; Step is told what begins. Both
	// may be nil.
	Log  func(world.LogLine)
	Step func(what string)
}

// Result is what came of a trial.
type Result struct {
	Findings []Finding
	// Probe is the reading of the untouched workspace, nil when there is none.
	Probe *decide.Reading
	// Selftest is nil when the manifest has none or it did not come to it.
	Selftest *Selftest
}

// Try sets the pack up on a copy, measures it once and runs its self-test. The
// error is the engine's or that of ctx; what is wrong with the pack is a finding.
// The copy is gone afterwards and the domain of a world with commands is as it
// was, on every way out; after a SIGKILL the next Try sees to that.
func Try(ctx context.Context, m *manifest.Manifest, o Options) (Result, error) {
	t := &trial{m: m, o: o, scratch: scratch{o.Dir}}
	if err := t.recover(ctx); err != nil {
		return t.result, err
	}
	err := t.run(ctx)
	return t.result, errors.Join(err, t.close(ctx))
}

// Recover puts in order what a Try that was killed has left in o.Dir, if anything.
// A run has to see to that as well: it would begin with a domain that a self-test
// has moved.
func Recover(ctx context.Context, o Options) error {
	t := &trial{o: o, scratch: scratch{o.Dir}}
	return t.recover(ctx)
}

// trial is one trial on its way.
type trial struct {
	m       *manifest.Manifest
	o       Options
	scratch scratch
	pack    *setup.Pack
	result  Result
}

func (t *trial) step(format string, args ...any) {
	if t.o.Step != nil {
		t.o.Step(fmt.Sprintf(format, args...))
	}
}

func (t *trial) add(f Finding) { t.result.Findings = append(t.result.Findings, f) }

// fail adds an error about a key of the manifest.
func (t *trial) fail(id, message string, keys ...string) {
	t.add(at(t.m, id, diag.Error, message, "", keys...))
}

func (t *trial) run(ctx context.Context) error {
	if t.makesElsewhere() {
		t.add(at(t.m, IDNotTried, diag.Warning, "setup_cmd would make the workspace outside of the pack, so it is not tried", "let [workspace].dir lie beside the manifest", "workspace", "setup_cmd"))
		return nil
	}
	t.step("copy the pack")
	path, workspace, err := t.scratch.make(ctx, t.m, t.o.Skip...)
	if err != nil {
		return err
	}
	t.step("set the workspace up")
	if err := t.prepare(ctx, path, workspace); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		t.fail(IDSetup, "the workspace cannot be set up: "+err.Error(), "workspace")
		return nil
	}
	if t.m.Judge == nil {
		return nil
	}
	if (build.Set{Builds: t.m.Builds}).Needed() {
		t.add(at(t.m, IDBuildNotTried, diag.Warning, "what is measured has to be built and pushed first, so the measurement is not tried", "", "build"))
		return nil
	}
	if err := t.probe(ctx); err != nil || Failed(t.result.Findings) {
		return err
	}
	if s := t.m.Judge.Selftest; s != nil {
		return t.selftest(ctx, *s)
	}
	return nil
}

// makesElsewhere reports whether the setup command would write where no copy
// stands in.
func (t *trial) makesElsewhere() bool {
	rel, err := filepath.Rel(t.m.Dir, t.m.Workspace.Dir)
	if t.m.Workspace.SetupCmd == "" || err == nil && filepath.IsLocal(rel) {
		return false
	}
	_, err = os.Stat(t.m.Workspace.Dir)
	return errors.Is(err, fs.ErrNotExist)
}

// prepare sets up the copy, or attaches to one that was set up.
func (t *trial) prepare(ctx context.Context, path, workspace string) (err error) {
	t.pack, err = setup.Prepare(ctx, setup.Request{
		Manifest: path, Workspace: workspace, StateDir: t.scratch.state(), RunID: "check", Plugins: t.o.Plugins, Env: t.o.Env, Log: t.o.Log,
		Write: t.scratch.write,
	})
	return err
}

// probe measures the untouched workspace once, as a run would.
func (t *trial) probe(ctx context.Context) error {
	t.step("measure once")
	reading, err := t.measure(ctx)
	switch {
	case err != nil && ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		t.fail(IDMeasure, err.Error(), "judge", "measure_cmd")
		return nil
	case !reading.Valid:
		t.fail(IDMeasure, "the untouched workspace does not measure: "+reading.Note, "judge", "measure_cmd")
		return nil
	}
	t.result.Probe = &reading
	if reading.Score == nil {
		t.add(at(t.m, IDNoScore, diag.Warning, "the reading is valid and has no score: no candidate can be better", "print a number as score", "judge", "measure_cmd"))
	}
	for _, f := range scripts(t.m, t.pack.Manifest.Workspace.Dir, t.m.Judge.MeasureCmd, "judge", "measure_cmd") {
		t.add(f)
	}
	return nil
}

// measure puts the frozen files in place and measures.
func (t *trial) measure(ctx context.Context) (decide.Reading, error) {
	dir := t.pack.Manifest.Workspace.Dir
	if err := t.pack.Injects.ApplyFrozen(ctx, dir); err != nil {
		return decide.Reading{}, fmt.Errorf("put the frozen files in place: %w", err)
	}
	j := t.m.Judge
	return judge.Judge{Command: j.MeasureCmd, Dir: dir, Timeout: j.MeasureTimeout, Env: t.o.Env, Objective: j.Objective}.Measure(ctx, judge.Known{})
}

// closeTime bounds what a trial does when it has ended, however that came.
const closeTime = 10 * time.Minute

// close brings the base back where a domain may have moved, lets go of the copy
// and removes it.
func (t *trial) close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTime)
	defer cancel()
	if t.pack != nil {
		err := t.restore(ctx)
		closed := t.pack.Close(ctx)
		t.pack = nil
		if err != nil {
			// The copy stays: the next trial tries again.
			t.fail(IDRestore, "the state before the check could not be brought back: "+err.Error(), "world")
			return closed
		}
		if closed != nil {
			return closed
		}
	}
	return os.RemoveAll(t.scratch.dir)
}

// restore brings the base back. Without commands the world is the copy alone,
// which is going to be removed.
func (t *trial) restore(ctx context.Context) error {
	if !t.m.World.HasCommands() {
		return nil
	}
	_, err := t.pack.World.Restore(ctx, t.pack.Base())
	return err
}

// recover ends a trial that was killed.
func (t *trial) recover(ctx context.Context) error {
	record, err := manifest.ReadRecord(t.scratch.state())
	if errors.Is(err, fs.ErrNotExist) {
		return os.RemoveAll(t.scratch.dir)
	}
	if err == nil && record.WorldName() == manifest.WorldCommand {
		t.step("bring back what a check that was killed has changed")
		if err = t.prepare(ctx, record.Manifest, record.Workspace); err == nil {
			_, err = t.pack.World.Restore(ctx, t.pack.Base())
			err = errors.Join(err, t.pack.Close(ctx))
		}
		t.pack = nil
	}
	if err != nil {
		return fmt.Errorf("a check was killed, and what it left in %s cannot be put in order; remove it to go on: %w", t.scratch.dir, err)
	}
	return os.RemoveAll(t.scratch.dir)
}
