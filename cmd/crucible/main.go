// Command crucible runs goal-directed agent loops: an agent proposes a change to
// a repository, a judge that the agent can never touch measures it, and the
// engine keeps or restores.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/crucible-engine/crucible/sdk/contract"
	"github.com/crucible-engine/crucible/sdk/proc"
	"github.com/urfave/cli/v2"
)

// Exit codes beside 0: a run's own, wrong usage, and death by signal.
const (
	exitNoImprovement = 1
	exitEscalated     = 2
	exitFault         = 3
	exitUsage         = 64
	exitInterrupt     = 130
	exitTerminate     = 143
)

func main() {
	// Whoever reads our output may go away: the run goes on, the log has it all.
	// The signal is caught, not ignored, because children inherit an ignored one.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	// What the commands of a pack leave behind does not live to see the next one.
	// Where that cannot be had, everything else holds.
	_ = proc.Adopt()
	os.Exit(run(os.Args, os.Stdout, os.Stderr))
}

// run is main with its ends in the open: it returns the exit code.
func run(args []string, stdout, stderr io.Writer) int {
	// An orchestrator asks for this on machines where nothing else is set up.
	if len(args) == 2 && (args[1] == "--contract-version" || args[1] == "-contract-version") {
		fmt.Fprintln(stdout, contract.Version)
		return 0
	}
	err := newApp(stdout, stderr).Run(args)
	var coded *codedError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &coded):
		if coded.err != nil {
			fmt.Fprintln(stderr, "crucible: "+coded.err.Error())
		}
		return coded.code
	default:
		fmt.Fprintln(stderr, "crucible: "+err.Error())
		return exitFault
	}
}

// codedError ends the program with an exit code; without a cause it does so in
// silence.
type codedError struct {
	code int
	err  error
}

func (e *codedError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit %d", e.code)
	}
	return e.err.Error()
}

func (e *codedError) Unwrap() error { return e.err }

func usageError(format string, args ...any) error {
	return &codedError{exitUsage, fmt.Errorf(format, args...)}
}

func newApp(stdout, stderr io.Writer) *cli.App {
	app := &cli.App{
		Name:                 "crucible",
		Usage:                "goal-directed agent loops with a judge that the agent cannot touch",
		UsageText:            "crucible [run] [--manifest FILE] [--iterations N] [options]\ncrucible init\ncrucible check\ncrucible plan exposure\ncrucible plugin list|check|test|trust\ncrucible --contract-version",
		Description:          appDescription,
		Version:              version(),
		Writer:               stdout,
		ErrWriter:            stderr,
		Flags:                append(runFlags(), globalFlags()...),
		Action:               runAction,
		Commands:             []*cli.Command{runCommand(), initCommand(), checkCommand(), planCommand(), pluginCommand(), completionCommand(), versionCommand()},
		EnableBashCompletion: true,
		// A grant has commas of its own.
		DisableSliceFlagSeparator: true,
		OnUsageError:              onUsageError,
		UseShortOptionHandling:    false,
		// Exit codes are run's business.
		ExitErrHandler: func(*cli.Context, error) {},
	}
	for _, c := range app.Commands {
		setUsageHandler(c)
	}
	return app
}

func setUsageHandler(c *cli.Command) {
	c.OnUsageError = onUsageError
	for _, sub := range c.Subcommands {
		setUsageHandler(sub)
	}
}

const appDescription = `Runs the pack that a manifest describes. An agent proposes a change to the
workspace, the judge's measure command scores it, and the engine keeps the
change or restores the state before it, until the iterations, the budget or
the goal are reached.

Everything the run does is on record in STATE/session.jsonl; RESULTS.md in the
workspace shows the rows. Ctrl-C ends a run in order, a second one at once.

Exit status: 0 improved or solved, 1 no improvement, 2 escalated by the agent,
3 fault of the manifest or the engine, 64 wrong usage, 130 or 143 stopped by a
signal.`

// version is this program's own version, as the build recorded it.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

func versionCommand() *cli.Command {
	return &cli.Command{
		Name:  "version",
		Usage: "print the version of the engine and of its contract",
		Action: func(c *cli.Context) error {
			fmt.Fprintf(c.App.Writer, "crucible %s, contract %s\n", version(), contract.Version)
			return nil
		},
	}
}
