package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/crucible-engine/crucible/core/diag"
	"github.com/crucible-engine/crucible/core/host"
	"github.com/crucible-engine/crucible/core/state"
	"github.com/crucible-engine/crucible/core/wire"
	"github.com/crucible-engine/crucible/sdk/plugin"
	"github.com/hashicorp/go-hclog"
	"github.com/urfave/cli/v2"
)

// pluginOptions are the flags that concern plugins.
type pluginOptions struct {
	overrides []host.Override
	level     hclog.Level
}

func parsePluginOptions(c *cli.Context) (pluginOptions, error) {
	o := pluginOptions{level: hclog.LevelFromString(c.String("log-level"))}
	if o.level == hclog.NoLevel {
		return o, usageError("--log-level %q: want trace, debug, info, warn or error", c.String("log-level"))
	}
	for _, text := range c.StringSlice("plugin") {
		override, err := host.ParseOverride(text)
		if err != nil {
			return o, usageError("%v", err)
		}
		o.overrides = append(o.overrides, override)
	}
	return o, nil
}

// logger writes what the host and the plugins have to say to stderr.
func (o pluginOptions) logger(stderr io.Writer) hclog.Logger {
	return hclog.New(&hclog.LoggerOptions{Name: "crucible", Level: o.level, Output: stderr})
}

// openHost makes the plugin host of a run.
func (o pluginOptions) openHost(dir *state.Dir, runID, workspace string, stderr io.Writer) (*host.Host, error) {
	return host.New(host.Options{
		Logger: o.logger(stderr), Overrides: o.overrides, Workspace: workspace, RunID: runID, Scratch: dir.Scratch,
	})
}

// explained adds to a plugin that was not found what may have been meant: the
// contract knows plugins that this version does not ship yet.
func explained(err error) error {
	var missing *host.NotFoundError
	if !errors.As(err, &missing) {
		return err
	}
	switch ref := missing.Ref.String(); ref {
	case "transport/local", "transport/openshell":
		return fmt.Errorf("%w\nthis version ships the transport %q: set [agent].backend = %q and [agent].agent_cmd", err, "command", "command")
	}
	if meant, ok := diag.Suggest(missing.Ref.Name, []string{"command"}); ok && missing.Ref.Kind == plugin.KindTransport {
		return fmt.Errorf("%w\ndid you mean [agent].backend = %q?", err, meant)
	}
	return err
}

// usedPlugins is the record of the plugins that a run uses.
func usedPlugins(h *host.Host) wire.Plugins {
	var event wire.Plugins
	for _, u := range h.Used() {
		event.Plugins = append(event.Plugins, wire.Plugin{
			PluginKind: u.Info.Kind, Name: u.Info.Name, Version: u.Info.Version, Contract: u.Info.Contract,
			SHA256: u.SHA256, Path: u.Path,
		})
	}
	return event
}

// overrideNotes remind the operator of plugins that are in use for development.
func overrideNotes(overrides []host.Override) []string {
	var notes []string
	for _, o := range overrides {
		notes = append(notes, fmt.Sprintf("WARNING: --plugin: %s is %s", o.Ref, o.Path))
	}
	return notes
}
