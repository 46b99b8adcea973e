package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"github.com/crucible-engine/crucible/sdk/proc"
)

// lab is where the benchmarks work: the binaries, and a directory that goes away.
type lab struct {
	bin    string
	dir    string
	rounds int
	files  int
	env    []string
}

func newLab(ctx context.Context, o options) (*lab, error) {
	bin, err := filepath.Abs(o.bin)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(bin, "crucible")); err != nil {
		return nil, fmt.Errorf("%w (make build makes it)", err)
	}
	dir, err := os.MkdirTemp("", "crucible-bench-")
	if err != nil {
		return nil, err
	}
	l := &lab{bin: bin, dir: dir, rounds: o.rounds, files: o.files}
	// Both sides see the same git, whatever the settings of the user are. It must
	// not begin to clean up in the background.
	l.env = append(os.Environ(), "CRUCIBLE_PLUGIN_PATH="+bin, "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull,
		"GIT_AUTHOR_NAME=bench", "GIT_AUTHOR_EMAIL=bench@localhost", "GIT_COMMITTER_NAME=bench", "GIT_COMMITTER_EMAIL=bench@localhost",
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=gc.auto", "GIT_CONFIG_VALUE_0=0")
	if err := l.sh(ctx, ".", "go build -o "+dir+"/ ./bench/internal/barehost ./bench/internal/bareplugin"); err != nil {
		l.close()
		return nil, err
	}
	return l, nil
}

func (l *lab) close() { os.RemoveAll(l.dir) }

// machine says what the numbers were taken on.
func (l *lab) machine() string {
	return fmt.Sprintf("%s/%s, %d processors, %s, %d rounds", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version(), l.rounds)
}

// run runs a program to its end and wants it to succeed, or to exit with one of
// the codes that are allowed.
func (l *lab) run(ctx context.Context, dir string, args []string, allowed ...int) error {
	output := proc.NewCapture(0, 4<<10)
	exit, err := proc.Run(ctx, proc.Command{
		Path: args[0], Args: args, Dir: dir, Env: l.env, StdoutTo: output, StderrTo: output,
	})
	if err != nil {
		return err
	}
	for _, code := range append(allowed, 0) {
		if exit == (proc.Exit{Code: code}) {
			return nil
		}
	}
	return fmt.Errorf("%q in %s: %v: %s", args, dir, exit, output)
}

func (l *lab) sh(ctx context.Context, dir, script string) error {
	return l.run(ctx, dir, []string{"/bin/sh", "-ec", script})
}

// timed is how long do takes, in milliseconds.
func timed(do func() error) (float64, error) {
	begin := time.Now()
	err := do()
	return milliseconds(time.Since(begin)), err
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// samples are what the rounds of one side took, in milliseconds.
type samples struct {
	wall []float64
	// cpu is the processor time of the processes that ended in a round. It hardly
	// depends on what else the machine does.
	cpu []float64
}

// compare measures both sides in turns, so that what else the machine does
// meets both alike, and lets each be first as often.
func (l *lab) compare(ours, bare func(round int) (float64, error)) (a, b samples, err error) {
	sides := []struct {
		measure func(int) (float64, error)
		samples *samples
	}{{ours, &a}, {bare, &b}}
	for round := range l.rounds {
		for i := range sides {
			side := sides[(i+round)%2]
			before := processorTime()
			wall, err := side.measure(round)
			if err != nil {
				return a, b, err
			}
			side.samples.wall = append(side.samples.wall, wall)
			side.samples.cpu = append(side.samples.cpu, processorTime()-before)
		}
	}
	return a, b, nil
}

// processorTime is what all processes that were started and have ended used.
func processorTime() float64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_CHILDREN, &usage); err != nil {
		return 0
	}
	return milliseconds(time.Duration(usage.Utime.Nano() + usage.Stime.Nano()))
}

// ratios are a comparison with a target for the time on the clock, and one of
// the processor time to explain it by.
func ratios(name, oursIs string, ours samples, bareIs string, bare samples, target float64) []result {
	return []result{
		ratio(name, newSide(oursIs, ours.wall), newSide(bareIs, bare.wall), target),
		ratio(name+", processor time", newSide(oursIs, ours.cpu), newSide(bareIs, bare.cpu), 0),
	}
}
