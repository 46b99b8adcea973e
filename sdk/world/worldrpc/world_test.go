package worldrpc_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/crucible-engine/crucible/sdk/contract"
	"github.com/crucible-engine/crucible/sdk/world"
	"github.com/crucible-engine/crucible/sdk/world/worldrpc"
)

var (
	wantOpen = world.OpenRequest{
		RunID: "r", Workspace: "/w", ManifestDir: "/m",
		Source: &world.Source{URL: "https://example.com/r.git", Ref: "main"},
		Commands: world.Commands{
			Setup: "make setup", Apply: "make apply", Snapshot: "snap", Restore: "back",
			SetupTimeout: time.Minute, ApplyTimeout: time.Second, SnapshotTimeout: time.Millisecond, RestoreTimeout: time.Hour,
		},
		Env:     []world.EnvVar{{Name: "A", Value: "not text: \xff"}, {Name: "A"}},
		Attach:  true,
		Exclude: []string{".crucible", "a/b"},
	}
	wantLines = []world.LogLine{
		{Line: []byte("out")},
		{Line: []byte("not text: \xff"), Stderr: true},
		{Line: bytes.Repeat([]byte("x"), contract.MaxLine), Truncated: true},
	}
	wantSnapshot = world.Snapshot{Token: "t 1", Commit: "c1", Changed: true, Shortstat: "1 file changed"}
	longPatch    = bytes.Repeat([]byte("patch\x00\xff\n"), 3*contract.MaxChunk/8)
)

// echo answers every call with what the tests want and says what it was asked.
func echo(asked *[]any) fake {
	note := func(values ...any) { *asked = append(*asked, values...) }
	print := func(log func(world.LogLine)) {
		for _, l := range wantLines[:2] {
			log(l)
		}
		log(world.LogLine{Line: bytes.Repeat([]byte("x"), contract.MaxLine+1)})
	}
	return fake{
		open: func(_ context.Context, req world.OpenRequest, log func(world.LogLine)) (world.Opened, error) {
			note(req)
			print(log)
			return world.Opened{WorldID: "w1", Fresh: true, Commit: "c0"}, nil
		},
		snapshot: func(_ context.Context, id string, req world.SnapshotRequest) (world.Snapshot, error) {
			note(id, req)
			return wantSnapshot, nil
		},
		restore: func(_ context.Context, id, token string) (string, error) { note(id, token); return "c1", nil },
		apply: func(_ context.Context, id string, env []world.EnvVar, log func(world.LogLine)) (world.Applied, error) {
			note(id, env)
			print(log)
			return world.Applied{ExitCode: 3, Note: "exit 3"}, nil
		},
		diff: func(_ context.Context, id, token string, limit int64, w io.Writer) (world.Diffed, error) {
			note(id, token, limit)
			_, err := w.Write(longPatch)
			return world.Diffed{Shortstat: "2 files changed"}, err
		},
		read: func(_ context.Context, id, token, path string, w io.Writer) (world.File, error) {
			note(id, token, path)
			for _, part := range [][]byte{longPatch[:1], longPatch[1:contract.MaxChunk], longPatch[contract.MaxChunk:]} {
				if _, err := w.Write(part); err != nil {
					return world.File{}, err
				}
			}
			return world.File{Mode: 0o755, Size: int64(len(longPatch))}, nil
		},
		fork: func(_ context.Context, id string, req world.ForkRequest) (world.Forked, error) {
			note(id, req)
			return world.Forked{WorldID: "w2", Workspace: req.Dir}, nil
		},
		adopt: func(_ context.Context, id, fork string) (world.Adopted, error) {
			note(id, fork)
			return world.Adopted{Conflicts: []string{"a", "b\xff"}}, nil
		},
		close: func(_ context.Context, id string) error { note(id); return nil },
	}
}

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	var asked, answered []any
	client := connect(t, worldrpc.NewServer(echo(&asked)))
	ctx := t.Context()
	answer := func(err error, values ...any) {
		t.Helper()
		if err != nil {
			t.Error(err)
		}
		answered = append(answered, values...)
	}
	var lines []world.LogLine
	log := func(l world.LogLine) { lines = append(lines, l) }

	opened, err := client.Open(ctx, wantOpen, log)
	answer(err, opened)
	snap, err := client.Snapshot(ctx, "w1", world.SnapshotRequest{Label: "l", Base: true})
	answer(err, snap)
	commit, err := client.Restore(ctx, "w1", "t 1")
	answer(err, commit)
	applied, err := client.Apply(ctx, "w1", wantOpen.Env, log)
	answer(err, applied)
	fork := world.ForkRequest{Token: "t 1", Dir: "/f", IncludeUncommitted: true}
	forked, err := client.Fork(ctx, "w1", fork)
	answer(err, forked)
	adopted, err := client.Adopt(ctx, "w1", "w2")
	answer(err, adopted)
	answer(client.Close(ctx, "w2"))

	wantAsked := []any{
		wantOpen, "w1", world.SnapshotRequest{Label: "l", Base: true}, "w1", "t 1", "w1", wantOpen.Env, "w1", fork, "w1", "w2", "w2",
	}
	if !cmp.Equal(wantAsked, asked) {
		t.Error("a request arrived changed")
	}
	wantAnswered := []any{
		world.Opened{WorldID: "w1", Fresh: true, Commit: "c0"}, wantSnapshot, "c1", world.Applied{ExitCode: 3, Note: "exit 3"},
		world.Forked{WorldID: "w2", Workspace: "/f"}, world.Adopted{Conflicts: []string{"a", "b\uFFFD"}},
	}
	if diff := cmp.Diff(wantAnswered, answered); diff != "" {
		t.Errorf("answers (-want +got):\n%s", diff)
	}
	// A diff of megabytes would take longer than all the rest.
	if !cmp.Equal(append(wantLines, wantLines...), lines) {
		t.Errorf("%d log lines arrived changed", len(lines))
	}
}

func TestDiffAndRead(t *testing.T) {
	t.Parallel()
	var asked []any
	client := connect(t, worldrpc.NewServer(echo(&asked)))
	for _, limit := range []int64{0, 1, contract.MaxChunk, contract.MaxChunk + 1, int64(len(longPatch)), 1 << 40} {
		var patch bytes.Buffer
		diffed, err := client.Diff(t.Context(), "w1", "t", limit, &patch)
		want := longPatch
		if limit > 0 && limit < int64(len(want)) {
			want = want[:limit]
		}
		if err != nil || !bytes.Equal(want, patch.Bytes()) || diffed.Truncated != (len(want) < len(longPatch)) || diffed.Shortstat == "" {
			t.Errorf("limit %d: got %d bytes, %+v, %v", limit, patch.Len(), diffed, err)
		}
	}
	var text bytes.Buffer
	file, err := client.Read(t.Context(), "w1", "t", "dir/a b", &text)
	want := world.File{Mode: 0o755, Size: int64(len(longPatch))}
	if err != nil || file != want || !bytes.Equal(longPatch, text.Bytes()) {
		t.Errorf("read: got %d bytes, %+v, %v", text.Len(), file, err)
	}
}

// TestFailingWriter: what the caller's writer says is what the caller gets.
func TestFailingWriter(t *testing.T) {
	t.Parallel()
	var asked []any
	client := connect(t, worldrpc.NewServer(echo(&asked)))
	r, w := io.Pipe()
	full := errors.New("disk full")
	r.CloseWithError(full)
	if _, err := client.Diff(t.Context(), "w1", "t", 0, w); !errors.Is(err, full) {
		t.Errorf("diff: got %v", err)
	}
	if _, err := client.Read(t.Context(), "w1", "t", "p", w); !errors.Is(err, full) {
		t.Errorf("read: got %v", err)
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	foreign := &contract.Error{Kind: contract.KindNotFound, Op: "restore token", Message: "a token of another world"}
	client := connect(t, worldrpc.NewServer(fake{
		open: func(context.Context, world.OpenRequest, func(world.LogLine)) (world.Opened, error) {
			return world.Opened{}, fmt.Errorf("clone: %w", contract.ErrUnavailable)
		},
		snapshot: func(context.Context, string, world.SnapshotRequest) (world.Snapshot, error) { panic("boom") },
		restore:  func(context.Context, string, string) (string, error) { return "", foreign },
		diff: func(_ context.Context, _, _ string, _ int64, w io.Writer) (world.Diffed, error) {
			_, _ = io.WriteString(w, "part")
			return world.Diffed{}, foreign
		},
		read: func(context.Context, string, string, string, io.Writer) (world.File, error) {
			return world.File{Size: 7}, nil // and nothing written
		},
	}))
	_, err := client.Open(t.Context(), wantOpen, func(world.LogLine) {})
	is(t, "open", err, contract.ErrUnavailable)
	_, err = client.Snapshot(t.Context(), "w", world.SnapshotRequest{})
	is(t, "snapshot", err, contract.ErrInternal)
	_, err = client.Restore(t.Context(), "w", "t")
	is(t, "restore", err, contract.ErrNotFound)
	var patch strings.Builder
	_, err = client.Diff(t.Context(), "w", "t", 0, &patch)
	is(t, "diff", err, contract.ErrNotFound)
	_, err = client.Read(t.Context(), "w", "t", "p", io.Discard)
	is(t, "read", err, contract.ErrInternal)
}

func is(t *testing.T, name string, got, want error) {
	t.Helper()
	if !errors.Is(got, want) {
		t.Errorf("%s: got %v, want %v", name, got, want)
	}
}

// TestOneWriter: a second writing call on a world is a conflict, one on another
// world and one that only reads are not.
func TestOneWriter(t *testing.T) {
	t.Parallel()
	var asked []any
	impl := echo(&asked)
	entered, leave := make(chan struct{}), make(chan struct{})
	impl.apply = func(context.Context, string, []world.EnvVar, func(world.LogLine)) (world.Applied, error) {
		close(entered)
		<-leave
		return world.Applied{OK: true}, nil
	}
	client := connect(t, worldrpc.NewServer(impl))
	ctx := t.Context()
	var first sync.WaitGroup
	first.Go(func() {
		if applied, err := client.Apply(ctx, "w1", nil, func(world.LogLine) {}); err != nil || !applied.OK {
			t.Errorf("the first: got %+v, %v", applied, err)
		}
	})
	<-entered
	_, err := client.Snapshot(ctx, "w1", world.SnapshotRequest{})
	is(t, "snapshot", err, contract.ErrConflict)
	_, err = client.Restore(ctx, "w1", "t")
	is(t, "restore", err, contract.ErrConflict)
	_, err = client.Apply(ctx, "w1", nil, func(world.LogLine) {})
	is(t, "apply", err, contract.ErrConflict)
	_, err = client.Adopt(ctx, "w1", "w2")
	is(t, "adopt into it", err, contract.ErrConflict)
	_, err = client.Adopt(ctx, "w2", "w1")
	is(t, "adopt from it", err, contract.ErrConflict)
	is(t, "close", client.Close(ctx, "w1"), contract.ErrConflict)
	if _, err := client.Snapshot(ctx, "w2", world.SnapshotRequest{}); err != nil {
		t.Errorf("another world: %v", err)
	}
	if _, err := client.Diff(ctx, "w1", "t", 0, io.Discard); err != nil {
		t.Errorf("a call that reads: %v", err)
	}
	close(leave)
	first.Wait()
	if _, err := client.Restore(ctx, "w1", "t"); err != nil {
		t.Errorf("after the first has ended: %v", err)
	}
}

// TestCancelWaits: a cancelled call is over for its caller when it is over for
// the world.
func TestCancelWaits(t *testing.T) {
	t.Parallel()
	started, ended := make(chan struct{}), false
	client := connect(t, worldrpc.NewServer(fake{
		restore: func(ctx context.Context, _, _ string) (string, error) {
			close(started)
			<-ctx.Done()
			ended = true
			return "", ctx.Err()
		},
	}))
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-started
		cancel()
	}()
	_, err := client.Restore(ctx, "w", "t")
	is(t, "restore", err, context.Canceled)
	if !ended {
		t.Error("the caller was told before the world had ended the call")
	}
}

// TestLateLog: a line that comes after the answer is dropped.
func TestLateLog(t *testing.T) {
	t.Parallel()
	late := make(chan func(world.LogLine), 1)
	client := connect(t, worldrpc.NewServer(fake{
		open: func(_ context.Context, _ world.OpenRequest, log func(world.LogLine)) (world.Opened, error) {
			late <- log
			return world.Opened{WorldID: "w"}, nil
		},
	}))
	if _, err := client.Open(t.Context(), wantOpen, func(world.LogLine) { t.Error("a line came") }); err != nil {
		t.Fatal(err)
	}
	(<-late)(world.LogLine{Line: []byte("late")})
}
