package worldrpc

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	worldv1 "github.com/crucible-engine/crucible/sdk/proto/crucible/world/v1"
	"github.com/crucible-engine/crucible/sdk/world"
)

// list draws a slice that is nil when it is empty, as the wire has it.
func list[T any](t *rapid.T, name string, item *rapid.Generator[T]) []T {
	got := rapid.SliceOfN(item, 0, 3).Draw(t, name)
	if len(got) == 0 {
		return nil
	}
	return got
}

// Each test has generators of its own: one generator is not for two goroutines.
func word() *rapid.Generator[string] { return rapid.StringN(0, 8, 24) }

func limit() *rapid.Generator[time.Duration] {
	return rapid.Map(rapid.Int64Range(0, 1<<40), func(ms int64) time.Duration { return time.Duration(ms) * time.Millisecond })
}

func TestOpenRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := world.OpenRequest{
			RunID: word().Draw(t, "run"), Workspace: word().Draw(t, "workspace"), ManifestDir: word().Draw(t, "manifest"),
			Commands: world.Commands{
				Setup: word().Draw(t, "setup"), Apply: word().Draw(t, "apply"), Snapshot: word().Draw(t, "snapshot"), Restore: word().Draw(t, "restore"),
				SetupTimeout: limit().Draw(t, "st"), ApplyTimeout: limit().Draw(t, "at"), SnapshotTimeout: limit().Draw(t, "nt"), RestoreTimeout: limit().Draw(t, "rt"),
			},
			Env: list(t, "env", rapid.Custom(func(t *rapid.T) world.EnvVar {
				return world.EnvVar{Name: word().Draw(t, "name"), Value: string(list(t, "value", rapid.Byte()))}
			})),
			Attach: rapid.Bool().Draw(t, "attach"), Exclude: list(t, "exclude", word()),
		}
		if rapid.Bool().Draw(t, "has source") {
			want.Source = &world.Source{URL: word().Draw(t, "url"), Path: word().Draw(t, "path"), Ref: word().Draw(t, "ref")}
		}
		data, err := proto.Marshal(openToProto(want))
		if err != nil {
			t.Fatal(err)
		}
		var msg worldv1.OpenRequest
		if err := proto.Unmarshal(data, &msg); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, openFromProto(&msg)); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
	})
}

// TestTimeLimits: a limit may become longer on its way, but never none and never
// negative.
func TestTimeLimits(t *testing.T) {
	t.Parallel()
	for in, want := range map[time.Duration]time.Duration{
		0: 0, 1: time.Millisecond, time.Millisecond: time.Millisecond, time.Millisecond + 1: 2 * time.Millisecond,
	} {
		if got := duration(millis(in)); got != want {
			t.Errorf("%v: got %v, want %v", in, got, want)
		}
	}
	for _, ms := range []int64{math.MaxInt64, math.MaxInt64 / 1000} {
		if got := duration(ms); got <= 0 {
			t.Errorf("%d ms: got %v", ms, got)
		}
	}
	if got := duration(math.MinInt64); got >= 0 {
		t.Errorf("a negative limit reads as %v", got)
	}
	if got := millis(math.MaxInt64); got <= 0 {
		t.Errorf("the longest limit is sent as %d ms", got)
	}
}
