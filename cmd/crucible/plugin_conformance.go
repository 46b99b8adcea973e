package main

import (
	"context"
	"fmt"
	"io"
	"regexp"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/crucible-engine/crucible/core/host"
	"github.com/crucible-engine/crucible/sdk/conformance"
	"github.com/crucible-engine/crucible/sdk/plugin"
)

// casesAtOnce is how many cases are tried at the same time. Most of them wait.
const casesAtOnce = 4

func pluginTestCommand() *cli.Command {
	return &cli.Command{
		Name:      "test",
		Usage:     "try whether a plugin's binary keeps the contract",
		ArgsUsage: "PATH",
		Description: "Starts the binary as a run does, once for each case of the conformance suite of its kind, and\n" +
			"prints a line per case: ok, fail with the reason and the demand, or skip when the case is about\n" +
			"an ability that the plugin does not have. Exits with status 3 when a case fails. The binary is\n" +
			"executed without being trusted, in whatever language it is written.\n\n" +
			"Examples:\n" +
			"   crucible plugin test ./crucible-transport-nice\n" +
			"   crucible plugin test --run '^cancel' ./crucible-transport-nice\n" +
			"   crucible plugin test --kind world --json ./crucible-world-tree >report.json",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "kind", Usage: "transport or world: want the plugin to be of this `KIND` (default: what it says it is)"},
			&cli.StringFlag{Name: "run", Usage: "try only the cases whose name matches this regular `EXPRESSION`"},
			jsonFlag(),
		},
		Action: func(c *cli.Context) error {
			path, err := onlyArgument(c, "the path of one binary")
			if err != nil {
				return err
			}
			choice, err := parseChoice(c)
			if err != nil {
				return err
			}
			return withHost(c, func(ctx context.Context, h *host.Host) error { return testPlugin(ctx, c, h, path, choice) })
		},
	}
}

// choice is what the flags of `plugin test` ask for.
type choice struct {
	kind string         // empty: the plugin's own word
	run  *regexp.Regexp // of the names of cases
}

func parseChoice(c *cli.Context) (choice, error) {
	kind := c.String("kind")
	if kind != "" && suiteOf(kind) == nil {
		return choice{}, usageError("--kind %q: want transport or world", kind)
	}
	run, err := regexp.Compile(c.String("run"))
	if err != nil {
		return choice{}, usageError("--run: %v", err)
	}
	return choice{kind, run}, nil
}

// suiteOf is nil for a kind that is not known.
func suiteOf(kind string) []conformance.Case {
	switch kind {
	case plugin.KindTransport:
		return conformance.Transport()
	case plugin.KindWorld:
		return conformance.World()
	default:
		return nil
	}
}

func testPlugin(ctx context.Context, c *cli.Context, h *host.Host, path string, want choice) error {
	inspected, err := h.Inspect(ctx, path)
	if err != nil {
		return fmt.Errorf("test %s: it does not start as a plugin: %w", path, err)
	}
	cases, err := want.cases(inspected)
	if err != nil {
		return err
	}
	show, report := func(tried) {}, newReport(inspected)
	if !c.Bool("json") {
		show = func(t tried) { printTried(c.App.Writer, t) }
	}
	for t := range try(ctx, cases, conformance.Target{Command: []string{inspected.Path}}) {
		show(t)
		report.add(t)
	}
	if ctx.Err() != nil {
		return fmt.Errorf("test %s: interrupted after %d of %d cases", inspected.Path, len(report.Cases), len(cases))
	}
	if c.Bool("json") {
		err = printJSON(c.App.Writer, report)
	} else {
		printSummary(c.App.Writer, report)
	}
	if err == nil && !report.OK {
		return &codedError{code: exitFault} // what is wrong has been printed
	}
	return err
}

// cases are those that were asked for, at least one.
func (want choice) cases(i host.Inspected) ([]conformance.Case, error) {
	if want.kind != "" && want.kind != i.Info.Kind {
		return nil, fmt.Errorf("test %s: it says that it is a %s, and --kind says %s", i.Path, i.Info.Kind, want.kind)
	}
	suite := suiteOf(i.Info.Kind)
	if suite == nil {
		return nil, fmt.Errorf("test %s: it says that it is a %s, and there is no suite for that", i.Path, i.Info.Kind)
	}
	var cases []conformance.Case
	for _, one := range suite {
		if want.run.MatchString(one.Name) {
			cases = append(cases, one)
		}
	}
	if len(cases) == 0 {
		return nil, usageError("--run %q: no case of the %s suite has such a name", want.run, i.Info.Kind)
	}
	return cases, nil
}

// tried is a case with how it ended.
type tried struct {
	conformance.Case
	conformance.Outcome
	took time.Duration
}

// try runs the cases, several at once, and yields them in their order. When ctx
// ends or the caller stops, it returns once what was begun has ended.
func try(ctx context.Context, cases []conformance.Case, target conformance.Target) func(func(tried) bool) {
	return func(yield func(tried) bool) {
		ctx, cancel := context.WithCancel(ctx)
		free, results := make(chan struct{}, casesAtOnce), make([]chan tried, len(cases))
		for i, one := range cases {
			results[i] = make(chan tried, 1)
			go func() {
				defer close(results[i])
				select {
				case free <- struct{}{}:
					defer func() { <-free }()
				case <-ctx.Done():
					return
				}
				begin := time.Now()
				outcome := one.Try(ctx, target)
				if ctx.Err() == nil {
					results[i] <- tried{one, outcome, time.Since(begin)}
				}
			}()
		}
		defer func() {
			cancel()
			for _, r := range results {
				for range r {
				}
			}
		}()
		for _, r := range results {
			if t, ok := <-r; !ok || !yield(t) {
				return
			}
		}
	}
}

func printTried(w io.Writer, t tried) {
	line := fmt.Sprintf("%-4s  %s", t.result(), t.Name)
	if reasons := t.reasons(); len(reasons) > 0 {
		line += ": " + joinReasons(reasons)
	}
	if t.Failed {
		line += "; want: " + t.Demand
	}
	fmt.Fprintln(w, oneLine(line))
}
