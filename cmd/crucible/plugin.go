package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"

	"github.com/urfave/cli/v2"

	"github.com/crucible-engine/crucible/core/host"
)

// pluginCommand is `crucible plugin`: what an operator does with plugins outside
// of a run.
func pluginCommand() *cli.Command {
	return &cli.Command{
		Name:  "plugin",
		Usage: "list, check and trust plugins",
		Description: "Agents and worlds are separate programs, named crucible-KIND-NAME. They are looked for in the\n" +
			"directories of CRUCIBLE_PLUGIN_PATH, then in XDG_DATA_HOME/crucible/plugins (~/.local/share by\n" +
			"default), /usr/local/lib/crucible/plugins and /usr/lib/crucible/plugins. One in the last three is\n" +
			"executed only if you trust it: see crucible plugin trust.",
		Subcommands: []*cli.Command{pluginListCommand(), pluginCheckCommand(), pluginTrustCommand()},
	}
}

// jsonFlag selects machine-readable output.
func jsonFlag() cli.Flag {
	return &cli.BoolFlag{Name: "json", Usage: "print JSON"}
}

// withHost runs do with a host made for one command and closes it. A signal
// ends the command in order.
func withHost(c *cli.Context, do func(context.Context, *host.Host) error) error {
	options, err := parsePluginOptions(c)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(c.Context, os.Interrupt, syscall.SIGTERM)
	defer stop()
	h, err := host.New(host.Options{Logger: options.logger(c.App.ErrWriter), Overrides: options.overrides})
	if err != nil {
		return err
	}
	return errors.Join(do(ctx, h), h.Close())
}
