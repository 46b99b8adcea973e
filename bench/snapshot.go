package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/crucible-engine/crucible/core/host"
	"github.com/crucible-engine/crucible/sdk/world"
)

const (
	snapshotTarget = 1.15
	changedFiles   = 10
)

// snapshot compares snapshots and restores with git itself.
func (l *lab) snapshot(ctx context.Context) (results []result, err error) {
	h, err := host.New(host.Options{Getenv: l.getenv})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, h.Close()) }()
	git, err := h.World(ctx, "git")
	if err != nil {
		return nil, err
	}
	for _, files := range []int{1_000, 10_000, 100_000} {
		if files > l.files {
			continue
		}
		more, err := l.snapshotOf(ctx, git, files)
		if err != nil {
			return nil, fmt.Errorf("%d files: %w", files, err)
		}
		results = append(results, more...)
	}
	return results, nil
}

// getenv is what the host may see of the environment of the benchmarks.
func (l *lab) getenv(name string) string {
	for i := len(l.env) - 1; i >= 0; i-- {
		if key, value, _ := strings.Cut(l.env[i], "="); key == name {
			return value
		}
	}
	return ""
}

// repository is a workspace and the two operations on it.
type repository struct {
	dir      string
	files    int
	change   int // counts the changes
	token    string
	snapshot func() (string, error)
	restore  func(token string) error
}

// snapshotOf compares on two equal repositories.
func (l *lab) snapshotOf(ctx context.Context, git world.World, files int) ([]result, error) {
	bare := &repository{dir: filepath.Join(l.dir, fmt.Sprintf("bare-%d", files)), files: files}
	ours := &repository{dir: filepath.Join(l.dir, fmt.Sprintf("ours-%d", files)), files: files}
	defer os.RemoveAll(bare.dir)
	defer os.RemoveAll(ours.dir)
	if err := bare.fill(); err != nil {
		return nil, err
	}
	if err := l.sh(ctx, bare.dir, "git init -q; git add -A; git commit -q -m base; git gc -q; cp -R . "+ours.dir+"; git -C "+ours.dir+" status -s"); err != nil {
		return nil, err
	}
	l.bareGit(ctx, bare)
	if err := worldGit(ctx, git, ours); err != nil {
		return nil, err
	}
	samples := map[*repository]*[2][]float64{ours: {}, bare: {}}
	measure := func(r *repository) func(int) (float64, error) {
		return func(int) (float64, error) {
			snapshot, restore, err := r.sample()
			samples[r][0], samples[r][1] = append(samples[r][0], snapshot), append(samples[r][1], restore)
			return 0, err
		}
	}
	// The first of each is for the caches.
	for _, r := range []*repository{ours, bare} {
		if _, _, err := r.sample(); err != nil {
			return nil, err
		}
	}
	if _, _, err := l.compare(measure(ours), measure(bare)); err != nil {
		return nil, err
	}
	var results []result
	for i, what := range []string{"snapshot", "restore"} {
		name := fmt.Sprintf("%s, %d files", what, files)
		results = append(results, ratio(name, newSide("world-git", samples[ours][i]), newSide("git", samples[bare][i]), snapshotTarget))
	}
	return results, nil
}

// bareGit does what a world does with the fewest git commands.
func (l *lab) bareGit(ctx context.Context, r *repository) {
	git := func(args ...string) error { return l.run(ctx, r.dir, append([]string{"git"}, args...)) }
	r.snapshot = func() (string, error) {
		return "HEAD", errors.Join(git("add", "-A"), git("commit", "-q", "-m", "snapshot"), git("rev-parse", "HEAD"))
	}
	r.restore = func(token string) error {
		return errors.Join(git("reset", "-q", "--hard", token), git("clean", "-f", "-d", "-q"))
	}
}

func worldGit(ctx context.Context, git world.World, r *repository) error {
	opened, err := git.Open(ctx, world.OpenRequest{RunID: "bench", Workspace: r.dir, ManifestDir: filepath.Dir(r.dir)}, func(world.LogLine) {})
	if err != nil {
		return err
	}
	r.snapshot = func() (string, error) {
		s, err := git.Snapshot(ctx, opened.WorldID, world.SnapshotRequest{Label: "snapshot"})
		return s.Token, err
	}
	r.restore = func(token string) error {
		_, err := git.Restore(ctx, opened.WorldID, token)
		return err
	}
	return nil
}

// fill makes the files, a hundred to a directory.
func (r *repository) fill() error {
	for i := range r.files {
		path := r.path(i)
		if i%100 == 0 {
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				return err
			}
		}
		if err := os.WriteFile(path, fmt.Appendf(nil, "file %d\n%s\n", i, strings.Repeat("content ", 20)), 0o600); err != nil {
			return err
		}
	}
	return nil
}

func (r *repository) path(i int) string {
	return filepath.Join(r.dir, fmt.Sprintf("d%02d/d%02d/f%02d.txt", i/10_000, i/100%100, i%100))
}

// sample changes files and records them, changes them again and goes back.
func (r *repository) sample() (snapshot, restore float64, err error) {
	if err := r.touch(); err != nil {
		return 0, 0, err
	}
	if snapshot, err = timed(func() (err error) { r.token, err = r.snapshot(); return err }); err != nil {
		return 0, 0, err
	}
	if err := r.touch(); err != nil {
		return 0, 0, err
	}
	restore, err = timed(func() error { return r.restore(r.token) })
	return snapshot, restore, err
}

// touch changes files all over the repository.
func (r *repository) touch() error {
	r.change++
	for i := range changedFiles {
		at := (i*r.files/changedFiles + r.change) % r.files
		if err := os.WriteFile(r.path(at), fmt.Appendf(nil, "file %d, change %d\n", at, r.change), 0o600); err != nil {
			return err
		}
	}
	return nil
}
