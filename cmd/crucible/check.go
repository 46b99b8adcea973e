package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/urfave/cli/v2"

	"github.com/crucible-engine/crucible/core/check"
	"github.com/crucible-engine/crucible/core/diag"
	"github.com/crucible-engine/crucible/core/exposure"
	"github.com/crucible-engine/crucible/core/host"
	"github.com/crucible-engine/crucible/core/manifest"
	"github.com/crucible-engine/crucible/core/state"
	"github.com/crucible-engine/crucible/sdk/world"
)

func checkCommand() *cli.Command {
	return &cli.Command{
		Name:  "check",
		Usage: "find out whether a pack is sound before anything is spent on it",
		Description: `Prints the bounds on the pack's writes and what it discloses, looks at the
files that it names, sets its workspace up on a copy, measures that once, and
runs the self-test of the judge. The workspace of the pack is not touched.

The exit status is 0 without findings; warnings are none. With findings it is 1,
and 3 when the check itself failed.

Examples:
   crucible check
   crucible check -m packs/size/crucible.toml --parse-only
   crucible check --json | jq '.findings[].id'`,
		Flags: append(exposureFlags(),
			&cli.PathFlag{Name: "state-dir", Usage: "`DIR` in which the copy is made (default: state beside the manifest)"},
			&cli.BoolFlag{Name: "parse-only", Usage: "run nothing: look at the manifest and the files that it names"},
			&cli.BoolFlag{Name: "verbose", Aliases: []string{"v"}, Usage: "show what the pack's commands print"},
			jsonFlag(),
		),
		Action: checkAction,
	}
}

// checked is what a check found.
type checked struct {
	findings []check.Finding
	exposure *exposure.Document
	bounds   []string
	digest   string
	trial    *check.Result
}

func checkAction(c *cli.Context) error {
	if err := noArguments(c); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(c.Context, os.Interrupt, syscall.SIGTERM)
	defer stop()
	out, err := checkPack(ctx, c)
	if ctx.Err() != nil {
		return &codedError{exitInterrupt, errors.New("stopped by a signal")}
	}
	if err != nil {
		return &codedError{exitFault, err}
	}
	if c.Bool("json") {
		err = printCheckJSON(c.App.Writer, out)
	} else {
		printCheck(c.App.Writer, out)
	}
	if err == nil && check.Failed(out.findings) {
		return &codedError{code: exitNoImprovement}
	}
	return err
}

func checkPack(ctx context.Context, c *cli.Context) (checked, error) {
	m, err := manifest.Load(c.Path("manifest"))
	var list diag.List
	if errors.As(err, &list) {
		return checked{findings: check.OfManifest(list)}, nil
	}
	if err != nil {
		return checked{}, err
	}
	around := surroundings(c.String("pr-repo"))
	document := exposure.Resolve(m, around)
	out := checked{exposure: &document, findings: check.Static(m, exposure.Egress(m, around))}
	for _, b := range exposure.Bounds(m, around) {
		out.bounds = append(out.bounds, b.String())
	}
	if out.digest, err = document.Digest(); err != nil || c.Bool("parse-only") {
		return out, err
	}
	out.findings = append(out.findings, check.Environment(m)...)
	if check.Failed(out.findings) {
		return out, nil // nothing is run of a pack that is not sound as it stands
	}
	result, err := tryPack(ctx, c, m)
	out.trial = &result
	out.findings = append(out.findings, result.Findings...)
	return out, err
}

// tryPack tries the pack below its state directory, whose lock keeps runs and
// other checks away.
func tryPack(ctx context.Context, c *cli.Context, m *manifest.Manifest) (result check.Result, err error) {
	pluginOptions, err := parsePluginOptions(c)
	if err != nil {
		return result, err
	}
	stateDir, err := anchored(c, "state-dir", filepath.Join(m.Dir, "state"))
	if err != nil {
		return result, err
	}
	_, statErr := os.Lstat(stateDir)
	dir, err := state.Open(stateDir)
	if err != nil {
		return result, err
	}
	defer func() {
		err = errors.Join(err, dir.Close())
		if statErr != nil { // it was not there before
			_ = os.Remove(dir.File("lock"))
			_ = os.Remove(dir.Path())
		}
	}()
	scratch := dir.File(checkDir)
	plugins, err := pluginOptions.checkHost(scratch, m.Workspace.Dir, c.App.ErrWriter)
	if err != nil {
		return result, err
	}
	defer func() { err = errors.Join(err, plugins.Close()) }()
	return check.Try(ctx, m, check.Options{
		Dir: scratch, Skip: []string{stateDir}, Plugins: plugins, Env: os.Environ(), Log: commandLog(c),
		Step: func(what string) { fmt.Fprintf(c.App.ErrWriter, "check: %s\n", what) },
	})
}

// checkDir is where a check makes its copy, in the state directory.
const checkDir = "check"

// checkHost makes a plugin host whose worlds keep their memory beside the copy.
func (o pluginOptions) checkHost(scratch, workspace string, stderr io.Writer) (*host.Host, error) {
	return host.New(host.Options{
		Logger: o.logger(stderr), Overrides: o.overrides, Workspace: workspace, RunID: "check",
		Scratch: func(name string) (string, error) {
			p := filepath.Join(scratch, "plugins", name)
			return p, os.MkdirAll(p, 0o700)
		},
	})
}

// recoverCheck puts in order what a check that was killed has left.
func (o pluginOptions) recoverCheck(ctx context.Context, dir *state.Dir, workspace string, stderr io.Writer) error {
	scratch := dir.File(checkDir)
	if _, err := os.Lstat(scratch); err != nil {
		return nil
	}
	plugins, err := o.checkHost(scratch, workspace, stderr)
	if err != nil {
		return err
	}
	return errors.Join(check.Recover(ctx, check.Options{Dir: scratch, Plugins: plugins, Env: os.Environ()}), plugins.Close())
}

// commandLog shows what the pack's commands print, when that is wanted.
func commandLog(c *cli.Context) func(world.LogLine) {
	if !c.Bool("verbose") {
		return nil
	}
	return func(l world.LogLine) { fmt.Fprintln(c.App.ErrWriter, diag.Clean(string(l.Line), 4096)) }
}
