package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/crucible-engine/crucible/core/build"
	"github.com/crucible-engine/crucible/core/control"
	"github.com/crucible-engine/crucible/core/diag"
	"github.com/crucible-engine/crucible/core/exposure"
	"github.com/crucible-engine/crucible/core/host"
	"github.com/crucible-engine/crucible/core/identity"
	"github.com/crucible-engine/crucible/core/journal"
	"github.com/crucible-engine/crucible/core/judge"
	"github.com/crucible-engine/crucible/core/loop"
	"github.com/crucible-engine/crucible/core/manifest"
	"github.com/crucible-engine/crucible/core/mask"
	"github.com/crucible-engine/crucible/core/prompt"
	"github.com/crucible-engine/crucible/core/report"
	"github.com/crucible-engine/crucible/core/setup"
	"github.com/crucible-engine/crucible/core/state"
	"github.com/crucible-engine/crucible/core/wire"
	"github.com/crucible-engine/crucible/sdk/plugin"
	"github.com/crucible-engine/crucible/sdk/transport"
	"github.com/crucible-engine/crucible/sdk/world"
	"github.com/urfave/cli/v2"
)

func runCommand() *cli.Command {
	return &cli.Command{
		Name:      "run",
		Usage:     "run a pack (the default command)",
		UsageText: "crucible run [--manifest FILE] [--iterations N] [options]",
		Description: `Examples:
   crucible                                     run ./crucible.toml, three iterations
   crucible -m packs/size/crucible.toml -n 20   another pack, twenty iterations
   crucible --max-cost 5 --max-time 8h -n 1000  overnight, within limits
   crucible --ui jsonl | jq .kind               events as JSON lines`,
		Flags:  append(runFlags(), globalFlags()...),
		Action: runAction,
	}
}

// runAction runs a pack and turns what became of it into an exit code.
func runAction(c *cli.Context) error {
	if err := noArguments(c); err != nil {
		return err
	}
	if c.Bool("contract-version") {
		return usageError("--contract-version stands alone")
	}
	opts, err := parseRun(c)
	if err != nil {
		return err
	}
	signals := watchInterrupts(c.App.ErrWriter)
	defer signals.close()
	rep, err := runPack(c.Context, opts, signals.stop)
	if code := signals.code(); code != 0 {
		return &codedError{code, err}
	}
	if err != nil {
		return &codedError{exitFault, explained(err)}
	}
	return exitOf(rep)
}

// exitOf is the exit status of a run that ended in order.
func exitOf(rep loop.Report) error {
	switch {
	case rep.Ending == loop.Escalated:
		return &codedError{code: exitEscalated}
	case rep.Improved:
		return nil
	default:
		return &codedError{code: exitNoImprovement}
	}
}

// runOptions is the command line of a run, checked as far as that goes without
// looking at the pack.
type runOptions struct {
	limits
	manifest, stateDir, steer string
	goal, goalFile            string
	ui                        string
	earlyStop                 bool
	grants                    []exposure.Grant
	prRepo                    string
	overrides                 agentOverrides
	plugins                   pluginOptions
	stdout, stderr            io.Writer
}

func parseRun(c *cli.Context) (runOptions, error) {
	lim, err := parseLimits(c)
	if err != nil {
		return runOptions{}, err
	}
	if c.IsSet("goal") && c.IsSet("goal-file") {
		return runOptions{}, usageError("--goal and --goal-file exclude each other")
	}
	plugins, err := parsePluginOptions(c)
	if err != nil {
		return runOptions{}, err
	}
	effort := c.String("effort")
	if err := checkEffort(effort); err != nil {
		return runOptions{}, err
	}
	o := runOptions{
		limits: lim, goal: c.String("goal"), goalFile: c.Path("goal-file"), ui: c.String("ui"),
		earlyStop: !c.Bool("no-early-stop"), prRepo: c.String("pr-repo"), plugins: plugins, stdout: c.App.Writer, stderr: c.App.ErrWriter,
		overrides: agentOverrides{c.String("agent-backend"), c.String("harness"), c.String("model"), effort},
	}
	if o.grants, err = parseGrants(c.StringSlice("grant")); err != nil {
		return o, err
	}
	if _, err := report.New(o.ui, o.reportOptions()); err != nil {
		return o, usageError("--ui: %v", err)
	}
	return o, o.resolvePaths(c)
}

func (o *runOptions) reportOptions() report.Options {
	return report.Options{Stdout: o.stdout, Stderr: o.stderr, Getenv: os.Getenv}
}

// resolvePaths anchors everything at the manifest's directory (C-PATHS).
func (o *runOptions) resolvePaths(c *cli.Context) error {
	path, err := filepath.Abs(c.Path("manifest"))
	if err != nil {
		return err
	}
	o.manifest = path
	dir := filepath.Dir(path)
	if real, err := filepath.EvalSymlinks(path); err == nil {
		dir = filepath.Dir(real)
	}
	if o.stateDir, err = anchored(c, "state-dir", filepath.Join(dir, "state")); err != nil {
		return err
	}
	o.steer, err = anchored(c, "steer", filepath.Join(dir, "STEER.md"))
	return err
}

// anchored is the absolute path that a flag gives, or the default.
func anchored(c *cli.Context, flag, fallback string) (string, error) {
	given := c.Path(flag)
	if given == "" {
		if c.IsSet(flag) {
			return "", usageError("--%s is empty", flag)
		}
		return fallback, nil
	}
	abs, err := filepath.Abs(given)
	if err != nil {
		return "", err
	}
	// The directory may not exist yet, what leads to it may be a link.
	if parent, err := filepath.EvalSymlinks(filepath.Dir(abs)); err == nil {
		return filepath.Join(parent, filepath.Base(abs)), nil
	}
	return abs, nil
}

// runPack runs one pack from the manifest to the last line of its log.
func runPack(ctx context.Context, o runOptions, stop <-chan struct{}) (rep loop.Report, err error) {
	started := time.Now()
	// A faulty manifest is refused before anything is written.
	preview, err := setup.Look(o.manifest, o.stateDir)
	if err != nil {
		return rep, err
	}
	if m := preview.Manifest; m != nil {
		if err := o.runnable(m); err != nil {
			return rep, err
		}
	}
	dir, err := state.Open(o.stateDir)
	if err != nil {
		return rep, err
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	if err := o.plugins.recoverCheck(ctx, dir, preview.Workspace, o.stderr); err != nil {
		return rep, err
	}
	runID, err := dir.NewID(o.goalHint(preview.Manifest), started)
	if err != nil {
		return rep, err
	}
	reporter, err := report.New(o.ui, o.reportOptions())
	if err != nil {
		return rep, err
	}
	defer func() { err = errors.Join(err, reporter.Close()) }()
	plugins, err := o.plugins.openHost(dir, runID, preview.Workspace, reporter.Log())
	if err != nil {
		return rep, err
	}
	defer func() { err = errors.Join(err, plugins.Close()) }()

	starting, cancel := stoppable(ctx, stop)
	defer cancel()
	r := packRun{options: o, plugins: plugins, dir: dir, runID: runID, started: started, reporter: reporter}
	pack, err := setup.Prepare(starting, setup.Request{
		Manifest: o.manifest, StateDir: o.stateDir, SteerFile: o.steer, RunID: runID, Plugins: plugins, Write: dir.Write, Env: os.Environ(),
		Settled: func(m *manifest.Manifest) error {
			if err := o.runnable(m); err != nil {
				return err
			}
			r.startAgent(starting, m)
			return nil
		},
		Log: func(l world.LogLine) { fmt.Fprintln(reporter.Log(), diag.Clean(string(l.Line), 4096)) },
	})
	if err != nil {
		return rep, err
	}
	defer func() { err = errors.Join(err, pack.Close(context.WithoutCancel(ctx)), pack.Seal(dir.Write)) }()
	r.pack = pack
	return r.run(ctx, stop)
}

// runnable refuses what can be checked and disclosed, but not run here, and what
// is granted beyond the disclosure.
func (o runOptions) runnable(m *manifest.Manifest) error {
	disclosed := exposure.Resolve(m, surroundings(o.prRepo))
	return errors.Join(m.CheckEnv(), m.Unsupported(), disclosed.CheckGrants(o.grants))
}

func parseGrants(texts []string) ([]exposure.Grant, error) {
	var grants []exposure.Grant
	for _, text := range texts {
		g, err := exposure.ParseGrant(text)
		if err != nil {
			return nil, usageError("--grant %q: %v", text, err)
		}
		grants = append(grants, g)
	}
	return grants, nil
}

// packRun is a pack on its way through a run, with everything that it needs.
type packRun struct {
	options  runOptions
	pack     *setup.Pack
	plugins  *host.Host
	dir      *state.Dir
	runID    string
	started  time.Time
	reporter report.Reporter
	agent    chan startedAgent
	// unknownSlots are typing errors of the method prompt.
	unknownSlots []string
}

type startedAgent struct {
	transport transport.Transport
	err       error
}

// startAgent starts the transport while the workspace is being opened.
func (r *packRun) startAgent(ctx context.Context, m *manifest.Manifest) {
	r.options.overrides.apply(&m.Agent)
	r.agent = make(chan startedAgent, 1)
	go func() {
		t, err := r.plugins.Transport(ctx, m.Agent.Backend)
		r.agent <- startedAgent{t, err}
	}()
}

func (r *packRun) run(ctx context.Context, stop <-chan struct{}) (rep loop.Report, err error) {
	m := r.pack.Manifest
	cfg, err := r.config(ctx, m)
	if err != nil {
		return rep, err
	}
	agent := <-r.agent
	if agent.err != nil {
		return rep, agent.err
	}
	if _, err := r.dir.Begin(r.runID); err != nil {
		return rep, err
	}
	cfg.Opening = r.opening()
	masker := mask.New(secretValues(m.Agent.Env))
	cfg.Mask = masker.MaskCut
	deps := loop.Deps{
		World: r.pack.World, Agent: agent.transport, Injects: r.pack.Injects,
		Recorder: journal.New(r.dir.Log(), masker.Mask, r.reporter),
		Steering: control.SteerFile{Path: r.options.steer}, Stop: stop,
	}
	if m.Judge != nil {
		deps.Judge = r.judge(m)
	}
	if set := r.builds(m); set.Needed() {
		deps.Builder = set
		cfg.Sessions = r.plugins.Has(plugin.KindTransport, m.Agent.Backend, transport.FeatureSessions)
	}
	rep, err = loop.Run(ctx, cfg, deps)
	r.tellWhere(rep)
	return rep, errors.Join(err, agent.transport.ReleaseRun(context.WithoutCancel(ctx), r.runID))
}

// tellWhere tells a person where the result is.
func (r *packRun) tellWhere(rep loop.Report) {
	if r.options.ui == report.ModeJSONL || r.options.ui == report.ModeStream {
		return
	}
	what := "nothing better was found; the baseline is in"
	switch {
	case rep.Improved:
		what = "the best state is in"
	case len(rep.Rows) == 0:
		what = "nothing was measured; the workspace is"
	}
	fmt.Fprintf(r.reporter.Log(), "%s %s\nthe log is %s\n", what, r.pack.Manifest.Workspace.Dir, r.dir.Log().Path())
}

func (r *packRun) judge(m *manifest.Manifest) judge.Judge {
	return judge.Judge{
		Command: m.Judge.MeasureCmd, Dir: m.Workspace.Dir, Timeout: m.Judge.MeasureTimeout,
		Env: os.Environ(), Objective: m.Judge.Objective,
	}
}

// builds is what is made before every measurement (C-BUILD-MODE).
func (r *packRun) builds(m *manifest.Manifest) build.Set {
	return build.Set{Builds: m.Builds, Workspace: m.Workspace.Dir, Env: os.Environ()}
}

func (r *packRun) config(ctx context.Context, m *manifest.Manifest) (loop.Config, error) {
	goal, err := r.options.goalText(ctx, m)
	if err != nil {
		return loop.Config{}, err
	}
	template, err := templateText(ctx, m)
	if err != nil {
		return loop.Config{}, err
	}
	r.unknownSlots = prompt.Unknown(template)
	j := manifest.Judge{Objective: taskObjective}
	if m.Judge != nil {
		j = *m.Judge
	}
	return loop.Config{
		RunID: r.runID, Workspace: m.Workspace.Dir, Goal: goal, Objective: j.Objective, Template: template,
		Rule: j.Rule, SkipBaseline: j.SkipBaseline,
		Iterations: r.options.iterations, MaxCost: r.options.maxCost, MaxTime: r.options.maxTime, Started: r.started,
		NoEarlyStop: !r.options.earlyStop, Turn: r.turn(m),
		Fingerprint: identity.Fingerprint(goal, j.Objective, wire.RegimeDefault),
		ToolIO:      toolIO(m),
	}, nil
}

// taskObjective labels a run without a judge; no judge may use it.
const taskObjective = "task"

var errStopped = errors.New("stopped by the operator")

// stoppable is a context that ends when stop is closed, too.
func stoppable(ctx context.Context, stop <-chan struct{}) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	release := make(chan struct{})
	go func() {
		select {
		case <-stop:
			cancel(errStopped)
		case <-release:
		}
	}()
	return ctx, func() { close(release); cancel(nil) }
}
