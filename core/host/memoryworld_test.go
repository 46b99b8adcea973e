package host_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"github.com/crucible-engine/crucible/sdk/contract"
	"github.com/crucible-engine/crucible/sdk/world"
)

// memoryWorld numbers the worlds that it opens and forgets them with its
// process. The label "die" of a snapshot ends it.
type memoryWorld struct {
	mu     sync.Mutex
	opened int
}

func (w *memoryWorld) open() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.opened++
	return fmt.Sprintf("w.%d", w.opened)
}

func (w *memoryWorld) check(id string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for n := 1; n <= w.opened; n++ {
		if id == fmt.Sprintf("w.%d", n) {
			return nil
		}
	}
	return &contract.Error{Kind: contract.KindNotFound, Op: "find world", Subject: id, Message: "no such world"}
}

func (w *memoryWorld) Open(_ context.Context, _ world.OpenRequest, log func(world.LogLine)) (world.Opened, error) {
	log(world.LogLine{Line: fmt.Append(nil, os.Getpid())})
	return world.Opened{WorldID: w.open(), Fresh: true}, nil
}

func (w *memoryWorld) Snapshot(_ context.Context, id string, req world.SnapshotRequest) (world.Snapshot, error) {
	if req.Label == "die" {
		os.Exit(7)
	}
	return world.Snapshot{Token: "t", Commit: "c"}, w.check(id)
}

func (w *memoryWorld) Restore(_ context.Context, id, _ string) (string, error) {
	return "c", w.check(id)
}

func (w *memoryWorld) Apply(_ context.Context, id string, _ []world.EnvVar, _ func(world.LogLine)) (world.Applied, error) {
	return world.Applied{OK: true}, w.check(id)
}

func (w *memoryWorld) Diff(_ context.Context, id, _ string, _ int64, to io.Writer) (world.Diffed, error) {
	if err := w.check(id); err != nil {
		return world.Diffed{}, err
	}
	_, err := io.Copy(to, strings.NewReader("patch"))
	return world.Diffed{Shortstat: "1 file changed"}, err
}

func (w *memoryWorld) Read(_ context.Context, id, _, _ string, to io.Writer) (world.File, error) {
	if err := w.check(id); err != nil {
		return world.File{}, err
	}
	_, err := io.WriteString(to, "text")
	return world.File{Mode: 0o644, Size: 4}, err
}

func (w *memoryWorld) Fork(_ context.Context, id string, req world.ForkRequest) (world.Forked, error) {
	if err := w.check(id); err != nil {
		return world.Forked{}, err
	}
	return world.Forked{WorldID: w.open(), Workspace: req.Dir}, nil
}

func (w *memoryWorld) Adopt(_ context.Context, id, fork string) (world.Adopted, error) {
	if err := w.check(fork); err != nil {
		return world.Adopted{}, err
	}
	return world.Adopted{Clean: true}, w.check(id)
}

func (w *memoryWorld) Close(_ context.Context, id string) error { return w.check(id) }
