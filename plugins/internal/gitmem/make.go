package gitmem

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/crucible-engine/crucible/sdk/proc"
	"github.com/crucible-engine/crucible/sdk/world"
)

// maker makes a workspace that does not exist (C-COMMANDS). Whatever fails or
// is interrupted leaves no half-made workspace behind: a clone is made beside
// its place and renamed; what a setup command was making when everything was
// killed is moved aside by the next Open.
type maker struct {
	memory    *memory
	workspace string
	req       world.OpenRequest
	log       logTo
}

// partial is where a clone is made.
func (k maker) partial() string {
	return filepath.Join(filepath.Dir(k.workspace), "."+filepath.Base(k.workspace)+".crucible-partial")
}

// missing reports whether the workspace is to be made. An empty directory is,
// when there is something to clone.
func (k maker) missing() (bool, error) {
	if err := k.sweep(); err != nil {
		return false, err
	}
	info, err := os.Stat(k.workspace)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	if !info.IsDir() {
		return false, errors.New("is not a directory")
	}
	if k.req.Source == nil || k.req.Commands.Setup != "" || k.req.Attach {
		return false, nil
	}
	entries, err := os.ReadDir(k.workspace)
	return err == nil && len(entries) == 0, err
}

// sweep clears away what an interrupted Open left.
func (k maker) sweep() error {
	if err := removeTree(k.partial()); err != nil {
		return fmt.Errorf("remove an interrupted clone: %w", err)
	}
	marker := filepath.Join(k.memory.dir, makingFile)
	if _, err := os.Lstat(marker); err != nil {
		return nil
	}
	if _, err := os.Lstat(k.workspace); err == nil {
		aside, err := os.MkdirTemp(filepath.Dir(k.workspace), filepath.Base(k.workspace)+".half-made-")
		if err == nil {
			err = os.Rename(k.workspace, filepath.Join(aside, filepath.Base(k.workspace)))
		}
		if err != nil {
			return fmt.Errorf("move aside what an interrupted setup left: %w", err)
		}
		k.log.say("an earlier setup was interrupted; what it left is now in %s", aside)
	}
	return os.Remove(marker)
}

// make makes the workspace.
func (k maker) make(ctx context.Context) error {
	if err := os.MkdirAll(filepath.Dir(k.workspace), 0o777); err != nil {
		return err
	}
	switch {
	case k.req.Commands.Setup != "":
		return k.setup(ctx)
	case k.req.Source != nil:
		return k.clone(ctx)
	default:
		return os.Mkdir(k.workspace, 0o777)
	}
}

// setup runs the setup command in the manifest directory.
func (k maker) setup(ctx context.Context) error {
	marker := filepath.Join(k.memory.dir, makingFile)
	if err := os.WriteFile(marker, nil, 0o600); err != nil {
		return err
	}
	err := k.runSetup(ctx)
	if err == nil {
		if info, statErr := os.Stat(k.workspace); statErr != nil || !info.IsDir() {
			err = invalid("run setup_cmd", "", "it ended without making the workspace %s", k.workspace)
		}
	}
	if err != nil {
		err = errors.Join(err, removeTree(k.workspace))
	}
	return errors.Join(err, os.Remove(marker))
}

func (k maker) runSetup(ctx context.Context) error {
	c := proc.Shell(k.req.Commands.Setup)
	c.Dir, c.Timeout = k.req.ManifestDir, k.req.Commands.SetupTimeout
	c.Env = os.Environ()
	for _, v := range k.req.Env {
		c.Env = append(c.Env, v.Name+"="+v.Value)
	}
	c.Env = dedupe(c.Env)
	c.Stdout = func(l proc.Line) { k.log(world.LogLine{Line: []byte(l.Text), Truncated: l.Truncated}) }
	c.Stderr = func(l proc.Line) { k.log(world.LogLine{Line: []byte(l.Text), Truncated: l.Truncated, Stderr: true}) }
	exit, err := proc.Run(ctx, c)
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("run setup_cmd: %w", ctx.Err())
	case err != nil:
		return invalid("run setup_cmd", "", "%w", err)
	case exit.TimedOut:
		return invalid("run setup_cmd", "", "not done after %v (setup_timeout)", c.Timeout)
	case !exit.Success():
		return invalid("run setup_cmd", "", "%s", exit)
	}
	return nil
}

// dedupe keeps the last value of every variable.
func dedupe(env []string) []string {
	last := map[string]int{}
	for i, e := range env {
		name, _, _ := strings.Cut(e, "=")
		last[name] = i
	}
	var out []string
	for i, e := range env {
		if name, _, _ := strings.Cut(e, "="); last[name] == i {
			out = append(out, e)
		}
	}
	return out
}
