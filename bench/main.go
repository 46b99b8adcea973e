// Bench measures what the engine costs, each time beside the least that the same
// work can cost, in the same run on the same machine:
//
//	loop      200 iterations of the counter example beside a shell script
//	start     from the start of the process to the first turn, beside a bare
//	          go-plugin host with two bare plugins
//	snapshot  and restore through world-git beside git itself, on repositories
//	          of 1,000, 10,000 and 100,000 files
//	memory    the peak of the engine and its plugins in a run
//	check     crucible check on a large pack
//
// It needs the binaries that `make build` leaves in bin. The two sides take
// turns, and the medians are compared. A missed target is printed, not an error.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
)

type options struct {
	bin    string
	rounds int
	only   []string
	json   bool
	files  int
}

func main() {
	var o options
	var only string
	flag.StringVar(&o.bin, "bin", "bin", "`directory` of the binaries")
	flag.IntVar(&o.rounds, "rounds", 5, "how often each side is measured")
	flag.StringVar(&only, "only", "", "comma-separated `names`: loop, start, snapshot, memory, check")
	flag.BoolVar(&o.json, "json", false, "print JSON with all samples instead of a table")
	flag.IntVar(&o.files, "max-files", 100_000, "leave out repositories with more files")
	flag.Parse()
	if only != "" {
		o.only = strings.Split(only, ",")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) error {
	if o.rounds < 1 {
		return fmt.Errorf("--rounds %d: want at least 1", o.rounds)
	}
	lab, err := newLab(ctx, o)
	if err != nil {
		return err
	}
	defer lab.close()
	benchmarks := []struct {
		name string
		run  func(context.Context) ([]result, error)
	}{
		{"loop", lab.loop},
		{"start", lab.start},
		{"snapshot", lab.snapshot},
		{"memory", lab.memory},
		{"check", lab.check},
	}
	var results []result
	for _, b := range benchmarks {
		if len(o.only) > 0 && !slices.Contains(o.only, b.name) {
			continue
		}
		fmt.Fprintf(os.Stderr, "measuring %s\n", b.name)
		r, err := b.run(ctx)
		if err != nil {
			return fmt.Errorf("%s: %w", b.name, err)
		}
		results = append(results, r...)
	}
	if o.json {
		return writeJSON(os.Stdout, lab.machine(), results)
	}
	return writeTable(os.Stdout, lab.machine(), results)
}
