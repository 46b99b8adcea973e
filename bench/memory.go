package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/crucible-engine/crucible/sdk/proc"
)

const (
	memoryIterations = 50
	memoryTarget     = 150 // MB
)

// memory is the peak of the engine and its plugins in a run of the counter
// example. Each process counts with the most it ever had, whether or not they
// had it at the same time; what they run, git and the commands of the pack, does
// not count.
func (l *lab) memory(ctx context.Context) ([]result, error) {
	var samples []float64
	for round := range l.rounds {
		dir, err := l.counter(ctx, "memory-"+strconv.Itoa(round))
		if err != nil {
			return nil, err
		}
		peak, err := l.peak(ctx, dir)
		if err != nil {
			return nil, err
		}
		samples = append(samples, peak)
	}
	return []result{amount("memory, engine and two plugins", newSide("crucible", samples), memoryTarget)}, nil
}

// peak runs the pack and looks at its processes until it ends, in megabytes.
func (l *lab) peak(ctx context.Context, dir string) (float64, error) {
	p, err := proc.Start(ctx, proc.Command{
		Path: filepath.Join(l.bin, "crucible"), Dir: dir, Env: l.env,
		Args: []string{"crucible", "--ui", "headless", "--iterations", strconv.Itoa(memoryIterations)},
	})
	if err != nil {
		return 0, err
	}
	peaks := map[int]int{} // by process id, in KiB
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for ended := false; !ended; {
		for _, pid := range family(p.Pid()) {
			if kib := highWater(pid); kib > 0 {
				peaks[pid] = kib
			}
		}
		select {
		case <-p.Done():
			ended = true
		case <-ticker.C:
		}
	}
	if _, err := p.Wait(); err != nil {
		return 0, err
	}
	sum := 0
	for _, kib := range peaks {
		sum += kib
	}
	return float64(sum) / 1000 * 1.024, nil
}

// family is the engine and those of its children that are plugins.
func family(pid int) []int {
	all := []int{pid}
	root := "/proc/" + strconv.Itoa(pid) + "/task"
	tasks, _ := os.ReadDir(root)
	for _, task := range tasks {
		children, _ := os.ReadFile(filepath.Join(root, task.Name(), "children"))
		for _, field := range strings.Fields(string(children)) {
			child, err := strconv.Atoi(field)
			if err == nil && isPlugin(child) {
				all = append(all, child)
			}
		}
	}
	return all
}

func isPlugin(pid int) bool {
	args, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
	name, _, _ := bytes.Cut(args, []byte{0})
	return strings.HasPrefix(filepath.Base(string(name)), "crucible-")
}

// highWater is the most memory a process ever had, in KiB, 0 when it is gone.
func highWater(pid int) int {
	status, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	for line := range strings.Lines(string(status)) {
		if value, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kib, _ := strconv.Atoi(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "kB")))
			return kib
		}
	}
	return 0
}
