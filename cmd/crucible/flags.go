package main

import (
	"math"
	"strconv"
	"time"

	"github.com/urfave/cli/v2"
)

// maxIterations bounds --iterations.
const maxIterations = 1_000_000

// runFlags are the flags of a run; they work with and without the word run.
func runFlags() []cli.Flag {
	const run, limits = "Run:", "Limits:"
	return []cli.Flag{
		&cli.PathFlag{Category: run, Name: "manifest", Aliases: []string{"m"}, Value: "crucible.toml", Usage: "the pack's manifest `FILE`"},
		&cli.PathFlag{Category: run, Name: "state-dir", Usage: "`DIR` of the session log and the other files of a run (default: state beside the manifest)"},
		&cli.PathFlag{Category: run, Name: "steer", Usage: "`FILE` the operator writes steering text to (default: STEER.md beside the manifest)"},
		&cli.StringFlag{Category: run, Name: "goal", Usage: "what the run is after, instead of the manifest's goal"},
		&cli.PathFlag{Category: run, Name: "goal-file", Usage: "`FILE` that holds the goal"},
		&cli.StringFlag{Category: run, Name: "ui", Value: "auto", Usage: "auto, headless, jsonl or stream: what is shown; the session log is written in any case"},
		&cli.StringFlag{Category: run, Name: "agent-backend", Usage: "transport `NAME` instead of the manifest's backend"},
		&cli.StringFlag{Category: run, Name: "harness", Usage: "agent CLI `NAME` instead of the manifest's"},
		&cli.StringFlag{Category: run, Name: "model", Usage: "`MODEL` instead of the manifest's"},
		&cli.StringFlag{Category: run, Name: "effort", Usage: "low, medium, high, xhigh or max instead of the manifest's"},
		&cli.StringSliceFlag{Category: run, Name: "grant", Usage: "something given from outside the pack, which its disclosure has to cover: `KIND:NAME[,context=…][,system=…][,scope=…]`, KIND is credential or relay"},
		&cli.StringFlag{Category: run, Name: "pr-repo", Usage: "repository of draft pull requests where the manifest has none: `OWNER/NAME`"},
		&cli.IntFlag{Category: limits, Name: "iterations", Aliases: []string{"n"}, Value: 3, Usage: "how many candidates are tried at most"},
		&cli.StringFlag{Category: limits, Name: "max-cost", Usage: "stop when the agent has cost this many US dollars; 0 means no limit"},
		&cli.StringFlag{Category: limits, Name: "max-time", Usage: "stop after this time: 90s, 30m, 8h, or bare seconds; 0 means no limit"},
		&cli.BoolFlag{Category: limits, Name: "no-early-stop", Usage: "go on after a candidate that the judge calls solved"},
	}
}

// globalFlags concern the plugins, whatever the command.
func globalFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Category: "Plugins:", Name: "plugin", Usage: "use the binary at PATH for a plugin, for development: `KIND/NAME=PATH`"},
		&cli.StringFlag{Category: "Plugins:", Name: "log-level", Value: "warn", Usage: "trace, debug, info, warn or error: what plugins and the host log to stderr"},
		&cli.BoolFlag{Name: "contract-version", Usage: "print the contract version and nothing else"},
	}
}

// limits are the caps of a run as the command line gives them.
type limits struct {
	iterations int
	maxCost    float64
	maxTime    time.Duration
}

func parseLimits(c *cli.Context) (limits, error) {
	l := limits{iterations: c.Int("iterations")}
	if l.iterations < 0 || l.iterations > maxIterations {
		return l, usageError("--iterations %d: want 0 to %d", l.iterations, maxIterations)
	}
	if text := c.String("max-cost"); text != "" {
		usd, err := strconv.ParseFloat(text, 64)
		if err != nil || usd < 0 || math.IsInf(usd, 0) || math.IsNaN(usd) {
			return l, usageError("--max-cost %q: want US dollars, for example 2.50", text)
		}
		l.maxCost = usd
	}
	if text := c.String("max-time"); text != "" {
		d, err := parseDuration(text)
		if err != nil {
			return l, err
		}
		l.maxTime = d
	}
	return l, nil
}

// parseDuration reads Go's notation or bare seconds.
func parseDuration(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if seconds, numErr := strconv.ParseUint(text, 10, 32); numErr == nil {
		d, err = time.Duration(seconds)*time.Second, nil
	}
	if err != nil || d < 0 {
		return 0, usageError("--max-time %q: want a time such as 90s, 30m or 8h", text)
	}
	return d, nil
}
