package transportrpc

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	"github.com/crucible-engine/crucible/sdk/contract"
	transportv1 "github.com/crucible-engine/crucible/sdk/proto/crucible/transport/v1"
	"github.com/crucible-engine/crucible/sdk/transport"
)

// reparsed is m after a trip over the wire.
func reparsed[M proto.Message](t *rapid.T, m M) M {
	data, err := proto.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	out := m.ProtoReflect().New().Interface()
	if err := proto.Unmarshal(data, out); err != nil {
		t.Fatal(err)
	}
	return out.(M)
}

// list draws a slice that is nil when it is empty, as the wire has it.
func list[T any](t *rapid.T, name string, item *rapid.Generator[T]) []T {
	got := rapid.SliceOfN(item, 0, 3).Draw(t, name)
	if len(got) == 0 {
		return nil
	}
	return got
}

func opaque(t *rapid.T, name string) []byte { return list(t, name, rapid.Byte()) }

// word is new for each test: one generator is not for two goroutines.
func word() *rapid.Generator[string] { return rapid.StringN(0, 8, 24) }

func drawTurn(t *rapid.T) transport.Turn {
	turn := transport.Turn{
		RunID: word().Draw(t, "run"), TurnID: word().Draw(t, "turn"), Task: word().Draw(t, "task"),
		Workspace: word().Draw(t, "workspace"), Prompt: word().Draw(t, "prompt"),
		Harness: transport.Harness{Name: word().Draw(t, "harness"), Model: word().Draw(t, "model"), Effort: word().Draw(t, "effort")},
		Egress:  transport.Egress{Endpoints: list(t, "endpoints", word()), Binaries: list(t, "binaries", word()), Deny: list(t, "deny", word())},
		Command: word().Draw(t, "command"), Options: opaque(t, "options"), Traceparent: word().Draw(t, "traceparent"),
		Env: list(t, "env", rapid.Custom(func(t *rapid.T) transport.EnvVar {
			// Values of variables need not be text.
			return transport.EnvVar{Name: word().Draw(t, "name"), Value: string(opaque(t, "value")), Secret: rapid.Bool().Draw(t, "secret")}
		})),
		Relays: list(t, "relays", rapid.Custom(func(t *rapid.T) transport.Relay {
			return transport.Relay{Source: word().Draw(t, "source"), Target: word().Draw(t, "target"), Mode: rapid.Uint32().Draw(t, "mode")}
		})),
	}
	if rapid.Bool().Draw(t, "has session") {
		turn.Session = &transport.Session{
			Name: word().Draw(t, "session"), Action: transport.SessionAction(rapid.IntRange(0, 2).Draw(t, "action")),
			Cursor: opaque(t, "cursor"), Turn: rapid.Uint32().Draw(t, "number"),
		}
	}
	if rapid.Bool().Draw(t, "has broker") {
		turn.Broker = &transport.Broker{URL: word().Draw(t, "url"), Bearer: word().Draw(t, "bearer")}
	}
	return turn
}

func TestTurnRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := drawTurn(t)
		got := turnFromProto(reparsed(t, turnToProto(want)))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
	})
}

func TestEventAndResultRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		events := []transport.Event{
			transport.Started{Instance: word().Draw(t, "instance"), HarnessVersion: word().Draw(t, "version"), Model: word().Draw(t, "model")},
			transport.Output{Stream: transport.Stream(rapid.IntRange(0, 2).Draw(t, "stream")), Line: opaque(t, "line"), Truncated: rapid.Bool().Draw(t, "cut")},
			transport.Activity{Kind: word().Draw(t, "kind"), JSON: opaque(t, "json")},
			transport.Denied{Host: word().Draw(t, "host"), Port: rapid.Uint16().Draw(t, "port"), Binary: word().Draw(t, "binary")},
		}
		for _, want := range events {
			if diff := cmp.Diff(want, eventFromProto(reparsed(t, eventToProto(want)))); diff != "" {
				t.Fatalf("(-want +got):\n%s", diff)
			}
		}
		want := transport.Result{
			Outcome: transport.Outcome(rapid.IntRange(0, 2).Draw(t, "outcome")), ExitCode: int(rapid.Int32().Draw(t, "exit")),
			Note: word().Draw(t, "note"), CostUSD: rapid.Float64().Draw(t, "cost"),
			CostSource: transport.CostSource(rapid.IntRange(0, 3).Draw(t, "source")), Cursor: opaque(t, "cursor"),
			WorkspaceSynced: rapid.Bool().Draw(t, "synced"),
			Usage: list(t, "usage", rapid.Custom(func(t *rapid.T) transport.Usage {
				u := rapid.Uint64()
				return transport.Usage{Model: word().Draw(t, "model"), Input: u.Draw(t, "i"), Output: u.Draw(t, "o"), CacheRead: u.Draw(t, "r"), CacheWrite: u.Draw(t, "w")}
			})),
		}
		if diff := cmp.Diff(want, resultFromProto(reparsed(t, resultToProto(want)).GetResult())); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
	})
}

// TestUnknownNumbers: what a newer peer says reads as unspecified.
func TestUnknownNumbers(t *testing.T) {
	t.Parallel()
	for _, n := range []int32{99, -1, math.MaxInt32} {
		turn := turnFromProto(&transportv1.RunTurnRequest{Session: &transportv1.Session{Action: transportv1.SessionAction(n)}})
		result := resultFromProto(&transportv1.Result{Outcome: transportv1.Outcome(n), CostSource: transportv1.CostSource(n)})
		output := eventFromProto(&transportv1.RunTurnResponse{Event: &transportv1.RunTurnResponse_Output{Output: &transportv1.Output{Stream: transportv1.Stream(n)}}})
		if turn.Session.Action != 0 || result.Outcome != 0 || result.CostSource != 0 || output.(transport.Output).Stream != 0 {
			t.Errorf("%d: got %v, %v, %v, %v", n, turn.Session.Action, result.Outcome, result.CostSource, output)
		}
	}
	if got := eventFromProto(&transportv1.RunTurnResponse{}); got != nil {
		t.Errorf("an unknown event reads as %v", got)
	}
}

func TestNumbersAgree(t *testing.T) {
	t.Parallel()
	for _, pair := range []struct {
		ours    int
		last    int
		numbers map[int32]string
	}{
		{int(transportv1.SessionAction_SESSION_ACTION_RESUME), int(transport.SessionResume), transportv1.SessionAction_name},
		{int(transportv1.Stream_STREAM_STDERR), int(transport.Stderr), transportv1.Stream_name},
		{int(transportv1.Outcome_OUTCOME_FAILED), int(transport.OutcomeFailed), transportv1.Outcome_name},
		{int(transportv1.CostSource_COST_SOURCE_FREE), int(transport.CostFree), transportv1.CostSource_name},
	} {
		if pair.ours != pair.last || len(pair.numbers) != pair.last+1 {
			t.Errorf("%v: the last is %d here", pair.numbers, pair.last)
		}
	}
}

func TestBound(t *testing.T) {
	t.Parallel()
	long := bytes.Repeat([]byte("ä"), contract.MaxLine/2+1) // two bytes each: the limit is between two characters
	odd := append([]byte("x"), long...)                     // and here within one
	object := []byte(`{"delta":"` + strings.Repeat("x", contract.MaxLine) + `"}`)
	for name, test := range map[string]struct{ event, want transport.Event }{
		"short":             {transport.Output{Stream: transport.Stderr, Line: []byte("a")}, transport.Output{Stream: transport.Stderr, Line: []byte("a")}},
		"no stream":         {transport.Output{Line: []byte("a")}, transport.Output{Stream: transport.Stdout, Line: []byte("a")}},
		"long":              {transport.Output{Stream: transport.Stdout, Line: long}, transport.Output{Stream: transport.Stdout, Line: long[:contract.MaxLine], Truncated: true}},
		"long, odd":         {transport.Output{Stream: transport.Stdout, Line: odd}, transport.Output{Stream: transport.Stdout, Line: odd[:contract.MaxLine-1], Truncated: true}},
		"activity":          {transport.Activity{Kind: "text", JSON: []byte("{}")}, transport.Activity{Kind: "text", JSON: []byte("{}")}},
		"activity, no kind": {transport.Activity{JSON: []byte("{}")}, transport.Output{Stream: transport.Stdout, Line: []byte("{}")}},
		"activity, no JSON": {transport.Activity{Kind: "text", JSON: []byte("{")}, transport.Output{Stream: transport.Stdout, Line: []byte("{")}},
		"activity, long":    {transport.Activity{Kind: "text", JSON: object}, transport.Output{Stream: transport.Stdout, Line: object[:contract.MaxLine], Truncated: true}},
	} {
		// A diff of a megabyte would take longer than all the rest.
		if got := bound(test.event); !cmp.Equal(test.want, got) {
			t.Errorf("%s: got %.100v", name, got)
		}
	}
	// Bytes that are no text at all are cut too.
	if got := bound(transport.Output{Line: bytes.Repeat([]byte{0xBF}, contract.MaxLine+9)}).(transport.Output); len(got.Line) > contract.MaxLine || len(got.Line) < contract.MaxLine-4 {
		t.Errorf("a line without characters is cut to %d bytes", len(got.Line))
	}
}
