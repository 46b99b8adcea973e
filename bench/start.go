package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/crucible-engine/crucible/sdk/proc"
)

const startTarget = 1.3

// startPack has a workspace already and nothing to measure, so that the first
// turn comes as soon as both plugins are there.
const startPack = `
[repo]
path = "seed"
[workspace]
setup_cmd = "mkdir -p workspace && echo 0 >workspace/counter.txt"
[agent]
backend = "command"
agent_cmd = "echo turn >../turns"
goal = "start"
[judge]
measure_cmd = "echo '{\"valid\":true,\"score\":1}'"
direction = "lower"
skip_baseline = true
`

// start compares the way to the first turn with a bare go-plugin host that
// starts two plugins and calls each once.
func (l *lab) start(ctx context.Context) ([]result, error) {
	dir := filepath.Join(l.dir, "start")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(dir, "crucible.toml"), []byte(startPack), 0o600); err != nil {
		return nil, err
	}
	// The first run makes the workspace; its turn goes to a file.
	if err := l.crucible(ctx, dir, 1); err != nil {
		return nil, err
	}
	turns := filepath.Join(dir, "turns")
	if err := os.Remove(turns); err != nil {
		return nil, fmt.Errorf("the first run had no turn: %w", err)
	}
	if err := syscall.Mkfifo(turns, 0o600); err != nil {
		return nil, fmt.Errorf("make pipe %s: %w", turns, err)
	}
	ours, bare, err := l.compare(
		func(int) (float64, error) { return l.firstTurn(ctx, dir, turns) },
		func(int) (float64, error) { return l.bareStart(ctx) },
	)
	if err != nil {
		return nil, err
	}
	return ratios("start, two plugins", "crucible", ours, "bare go-plugin", bare, startTarget), nil
}

// firstTurn is the time from the start of the engine to the first turn's line in
// the pipe.
func (l *lab) firstTurn(ctx context.Context, dir, turns string) (float64, error) {
	// Open for both, so that the opening does not wait for the agent.
	pipe, err := os.OpenFile(turns, os.O_RDWR, 0)
	if err != nil {
		return 0, err
	}
	defer pipe.Close()
	if err := pipe.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
		return 0, err
	}
	ended := make(chan error, 1)
	begin := time.Now()
	go func() { ended <- l.crucible(ctx, dir, 1) }()
	_, err = bufio.NewReader(pipe).ReadString('\n')
	took := time.Since(begin)
	if runErr := <-ended; runErr != nil {
		return 0, runErr
	}
	return milliseconds(took), err
}

// bareStart is the time from the start of the bare host to the line that it
// prints when both plugins have answered.
func (l *lab) bareStart(ctx context.Context) (float64, error) {
	var took time.Duration
	var begin time.Time
	command := proc.Command{
		Path: filepath.Join(l.dir, "barehost"), Args: []string{"barehost", filepath.Join(l.dir, "bareplugin")}, Env: l.env,
		Stdout: func(proc.Line) { took = time.Since(begin) },
	}
	begin = time.Now()
	exit, err := proc.Run(ctx, command)
	if err != nil {
		return 0, err
	}
	if !exit.Success() || took == 0 {
		return 0, fmt.Errorf("bare host: %v", exit)
	}
	return milliseconds(took), nil
}
