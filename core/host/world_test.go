package host_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/crucible-engine/crucible/core/host"
	"github.com/crucible-engine/crucible/sdk/contract"
	"github.com/crucible-engine/crucible/sdk/world"
)

// A lost world is an error of its own, at once and later, until it is opened
// again.
func TestWorldLost(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	install(t, f.named, "world", "good")
	h := f.host(t)
	w, err := h.World(t.Context(), "good")
	if err != nil {
		t.Fatal(err)
	}
	open := func() string {
		opened, err := w.Open(t.Context(), world.OpenRequest{RunID: "r", Workspace: "/w", ManifestDir: "/m"}, func(world.LogLine) {})
		if err != nil {
			t.Fatal(err)
		}
		return opened.WorldID
	}
	first := open()
	fork, err := w.Fork(t.Context(), first, world.ForkRequest{Token: "t", Dir: "/f"})
	if err != nil {
		t.Fatal(err)
	}
	if adopted, err := w.Adopt(t.Context(), first, fork.WorldID); err != nil || !adopted.Clean {
		t.Errorf("adopt: got %+v, %v", adopted, err)
	}
	_, midCall := w.Snapshot(t.Context(), first, world.SnapshotRequest{Label: "die"})
	_, later := w.Restore(t.Context(), first, "t")
	second := open()
	_, afterwards := w.Restore(t.Context(), first, "t")
	_, lostFork := w.Adopt(t.Context(), second, fork.WorldID)
	for name, err := range map[string]error{
		"in mid-call": midCall, "later": later, "after the restart": afterwards, "a fork": lostFork,
		"close": w.Close(t.Context(), fork.WorldID),
	} {
		var lost interface{ WorldLost() bool }
		if !errors.As(err, &lost) || !lost.WorldLost() || !errors.Is(err, contract.ErrUnavailable) {
			t.Errorf("%s: got %v, want a WorldLostError", name, err)
		}
	}
	var exit *host.ExitError
	if !errors.As(midCall, &exit) || exit.Status.Code != 7 {
		t.Errorf("in mid-call: got %v, want the exit status 7", midCall)
	}
	if first == second {
		t.Errorf("two processes gave out the same id %q", first)
	}
	if _, err := w.Snapshot(t.Context(), second, world.SnapshotRequest{}); err != nil {
		t.Errorf("the new world: %v", err)
	}
	if _, err := w.Restore(t.Context(), "nonsense", "t"); !errors.Is(err, contract.ErrNotFound) {
		t.Errorf("an id that is none: got %v, want ErrNotFound", err)
	}
	checkStreams(t, w, second)
}

func checkStreams(t *testing.T, w world.World, id string) {
	t.Helper()
	var diff, text bytes.Buffer
	diffed, err := w.Diff(t.Context(), id, "t", 0, &diff)
	if err != nil || diff.String() != "patch" || diffed.Shortstat == "" {
		t.Errorf("diff: got %q, %+v, %v", diff.String(), diffed, err)
	}
	if file, err := w.Read(t.Context(), id, "t", "f", &text); err != nil || text.String() != "text" || file.Mode != 0o644 {
		t.Errorf("read: got %q, %+v, %v", text.String(), file, err)
	}
	if applied, err := w.Apply(t.Context(), id, nil, func(world.LogLine) {}); err != nil || !applied.OK {
		t.Errorf("apply: got %+v, %v", applied, err)
	}
	if err := w.Close(t.Context(), id); err != nil {
		t.Errorf("close: %v", err)
	}
}
