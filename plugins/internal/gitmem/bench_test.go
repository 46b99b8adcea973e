package gitmem_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/crucible-engine/crucible/sdk/world"
)

// The price of the memory beside the same bare git commands (add -A, commit;
// reset --hard, clean) with ten changed files. The two take turns, so that a
// busy machine hits both; the medians and their ratio are reported.

const changedFiles = 10

func BenchmarkBesideGit(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) { besideGit(b, n) })
	}
}

func besideGit(b *testing.B, n int) {
	root := b.TempDir()
	plain := filepath.Join(root, "plain")
	paths := tree(b, plain, n)
	w := newBench(b, func(dir string) { tree(b, dir, n) })
	bare := func(args ...string) time.Duration {
		begun := time.Now()
		c := exec.Command("git", args...)
		c.Dir = plain
		if out, err := c.CombinedOutput(); err != nil {
			b.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return time.Since(begun)
	}
	for _, args := range [][]string{{"init", "-q"}, {"config", "user.name", "a"}, {"config", "user.email", "a@b"}, {"add", "-A"}, {"commit", "-qm", "base"}} {
		bare(args...)
	}
	w.snapshot("base")

	var snap, restore, snapGit, restoreGit []time.Duration
	rng := rand.New(rand.NewPCG(1, 2))
	change := func(dir string) {
		for range changedFiles {
			f, err := os.OpenFile(filepath.Join(dir, paths[rng.IntN(n)]), os.O_WRONLY|os.O_APPEND, 0)
			must(b, err)
			fmt.Fprintln(f, rng.Uint64())
			must(b, f.Close())
		}
	}
	for b.Loop() {
		change(plain)
		snapGit = append(snapGit, bare("add", "-A")+bare("commit", "-qm", "x"))
		change(plain)
		restoreGit = append(restoreGit, bare("reset", "-q", "--hard")+bare("clean", "-fdq"))

		change(w.dir)
		begun := time.Now()
		s, err := w.store.Snapshot(context.Background(), w.id, world.SnapshotRequest{Label: "x"})
		must(b, err)
		snap = append(snap, time.Since(begun))
		change(w.dir)
		begun = time.Now()
		_, err = w.store.Restore(context.Background(), w.id, s.Token)
		must(b, err)
		restore = append(restore, time.Since(begun))
	}
	ours, theirs := median(snap)+median(restore), median(snapGit)+median(restoreGit)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(ms(median(snap)), "snapshot-ms")
	b.ReportMetric(ms(median(snapGit)), "git-snapshot-ms")
	b.ReportMetric(ms(median(restore)), "restore-ms")
	b.ReportMetric(ms(median(restoreGit)), "git-restore-ms")
	b.ReportMetric(float64(ours)/float64(theirs), "ratio")
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}

// tree writes n files of about half a kilobyte, 20 in a directory.
func tree(b *testing.B, dir string, n int) []string {
	paths := make([]string, n)
	for i := range n {
		sub := filepath.Join(fmt.Sprintf("d%d", i/2000), fmt.Sprintf("s%d", i/20%100))
		if i%20 == 0 {
			mkdir(b, filepath.Join(dir, sub))
		}
		paths[i] = filepath.Join(sub, fmt.Sprintf("f%d.txt", i))
		text := fmt.Appendf(nil, "file %d\n", i)
		must(b, os.WriteFile(filepath.Join(dir, paths[i]), slices.Repeat(text, 50), 0o644))
	}
	return paths
}
