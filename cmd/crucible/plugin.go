package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/urfave/cli/v2"

	"github.com/crucible-engine/crucible/core/diag"
	"github.com/crucible-engine/crucible/core/host"
)

// pluginCommand is `crucible plugin`: what an operator does with plugins outside
// of a run.
func pluginCommand() *cli.Command {
	return &cli.Command{
		Name:  "plugin",
		Usage: "list, check, test and trust plugins",
		Description: "Agents and worlds are separate programs, named crucible-KIND-NAME. They are looked for in the\n" +
			"directories of CRUCIBLE_PLUGIN_PATH, then in XDG_DATA_HOME/crucible/plugins (~/.local/share by\n" +
			"default), /usr/local/lib/crucible/plugins and /usr/lib/crucible/plugins. One in the last three is\n" +
			"executed only if you trust it: see crucible plugin trust.",
		Subcommands: []*cli.Command{pluginListCommand(), pluginCheckCommand(), pluginTestCommand(), pluginTrustCommand()},
		Action: func(c *cli.Context) error {
			word := c.Args().First()
			if word == "" {
				return cli.ShowSubcommandHelp(c)
			}
			if meant, ok := diag.Suggest(word, []string{"list", "check", "test", "trust"}); ok {
				return usageError("unknown command %q; did you mean crucible plugin %s?", word, meant)
			}
			return usageError("unknown command %q; see crucible plugin --help", word)
		},
	}
}

// onlyArgument is the one argument of a command. Flags go before it: what
// stands behind is not read as a flag.
func onlyArgument(c *cli.Context, want string) (string, error) {
	switch {
	case c.NArg() == 1:
		return c.Args().First(), nil
	case c.NArg() > 1 && strings.HasPrefix(c.Args().Get(1), "-"):
		return "", usageError("plugin %s: flags go before the argument: crucible plugin %s %s %s", c.Command.Name, c.Command.Name, c.Args().Get(1), c.Args().First())
	default:
		return "", usageError("plugin %s: want %s", c.Command.Name, want)
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
