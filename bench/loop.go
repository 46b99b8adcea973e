package main

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

const (
	loopIterations = 200
	loopTarget     = 1.6
)

// loopScript does what the engine does in the counter example, with nothing but
// git and a shell.
//
//go:embed loop.sh
var loopScript string

// loop compares a whole run of the counter example with a shell script.
func (l *lab) loop(ctx context.Context) ([]result, error) {
	ours, bare, err := l.compare(
		func(round int) (float64, error) {
			dir, err := l.counter(ctx, "loop-ours-"+strconv.Itoa(round))
			if err != nil {
				return 0, err
			}
			return timed(func() error { return l.crucible(ctx, dir, loopIterations) })
		},
		func(round int) (float64, error) {
			dir, err := l.counter(ctx, "loop-bare-"+strconv.Itoa(round))
			if err != nil {
				return 0, err
			}
			script := filepath.Join(dir, "loop.sh")
			if err := os.WriteFile(script, []byte(loopScript), 0o600); err != nil {
				return 0, err
			}
			return timed(func() error {
				return l.run(ctx, dir, []string{"/bin/sh", script, strconv.Itoa(loopIterations)})
			})
		},
	)
	if err != nil {
		return nil, err
	}
	name := fmt.Sprintf("loop, %d iterations", loopIterations)
	return ratios(name, "crucible", ours, "shell script", bare, loopTarget), nil
}

// counter copies the counter example. Its goal is put out of reach, because a
// solved candidate is kept whatever it scores, which a script would not do.
func (l *lab) counter(ctx context.Context, name string) (string, error) {
	dir := filepath.Join(l.dir, name)
	return dir, l.sh(ctx, ".", `
		mkdir `+dir+`
		cd examples/counter
		cp -R crucible.toml goal.md method.md propose.sh seed `+dir+`
		sed 's/-ge 10 /-ge 1000000 /' measure.sh >`+dir+`/measure.sh`)
}

// crucible runs a pack. That nothing was improved is no fault here.
func (l *lab) crucible(ctx context.Context, dir string, iterations int) error {
	return l.run(ctx, dir, []string{
		filepath.Join(l.bin, "crucible"), "--ui", "headless", "--iterations", strconv.Itoa(iterations),
	}, 1)
}
