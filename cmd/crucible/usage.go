package main

import (
	"slices"
	"strings"

	"github.com/crucible-engine/crucible/core/diag"
	"github.com/urfave/cli/v2"
)

// later says what a flag of the contract is for that this version does not have
// yet. Such flags are answered by name rather than as typing errors.
func later(flag string) (what string, known bool) {
	switch flag {
	case "wide", "wide-keep":
		return "wide rounds", true
	case "graph-loop":
		return "work graphs", true
	case "resume":
		return "resuming a run", true
	case "max-park":
		return "approvals", true
	case "control-port", "control-listen":
		return "the control bridge", true
	case "sandbox-image", "compute-driver", "namespace":
		return "the openshell transport", true
	case "staged":
		return "bounded outputs", true
	default:
		return "", false
	}
}

// laterCommands are subcommands of the contract that this version does not have yet.
func laterCommands() []string { return []string{"ctl", "build", "outputs"} }

const notDefined = "flag provided but not defined: -"

// onUsageError says what was wrong with the command line, and what may have
// been meant.
func onUsageError(c *cli.Context, err error, _ bool) error {
	text := err.Error()
	name, unknown := strings.CutPrefix(text, notDefined)
	if !unknown {
		return usageError("%s; see crucible --help", text)
	}
	name = strings.TrimLeft(name, "-")
	if what, known := later(name); known {
		return usageError("--%s: this version does not have %s yet", name, what)
	}
	if meant, ok := diag.Suggest(name, flagNames(c)); ok {
		return usageError("unknown flag --%s; did you mean --%s?", name, meant)
	}
	return usageError("unknown flag --%s; see crucible --help", name)
}

func flagNames(c *cli.Context) []string {
	flags := c.App.Flags
	if c.Command != nil && len(c.Command.Flags) > 0 {
		flags = c.Command.Flags
	}
	var names []string
	for _, f := range flags {
		names = append(names, f.Names()...)
	}
	return names
}

// noArguments refuses what stands behind the flags. At the top that is most
// likely a subcommand that does not exist.
func noArguments(c *cli.Context) error {
	word := c.Args().First()
	if word == "" {
		return nil
	}
	if c.Command != nil && c.Command.Name == "run" {
		return usageError("run takes no arguments, got %q; the manifest is given with --manifest", word)
	}
	if slices.Contains(laterCommands(), word) {
		return usageError("crucible %s: this version does not have the command yet", word)
	}
	var names []string
	for _, command := range c.App.Commands {
		names = append(names, command.Name)
	}
	if meant, ok := diag.Suggest(word, names); ok {
		return usageError("unknown command %q; did you mean %s?", word, meant)
	}
	return usageError("unknown command %q; see crucible --help", word)
}
