package wire_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crucible-engine/crucible/core/wire"
)

func TestDecodeTolerates(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, line string
		want       wire.Event
	}{
		{"no v", `{"kind":"note","msg":"m"}`, wire.Note{Msg: "m"}},
		{"another v", `{"v":99,"kind":"note","msg":"m"}`, wire.Note{Msg: "m"}},
		{"v of another type", `{"v":"1.0","kind":"note","msg":"m"}`, wire.Note{Msg: "m"}},
		{"ts and seq", `{"v":1,"ts":1790000000.5,"kind":"note","seq":3,"msg":"m"}`, wire.Note{Msg: "m"}},
		{"unknown members", `{"v":1,"kind":"note","msg":"m","later":{"a":[{}]},"more":null}`, wire.Note{Msg: "m"}},
		{"another order", `{"msg":"m","kind":"note","v":1}`, wire.Note{Msg: "m"}},
		{"white space", " { \"v\" : 1 ,\t\"kind\" : \"phase\" , \"iter\" : 2 , \"phase\":\"x\" } \r\n", wire.Phase{Phase: "x", Iter: 2}},
		{"escaped member name", `{"v":1,"k\u0069nd":"note","msg":"m"}`, wire.Note{Msg: "m"}},
		{"the last of two counts", `{"v":1,"kind":"note","msg":"a","msg":"b"}`, wire.Note{Msg: "b"}},
		{"iter has a default", `{"v":1,"kind":"phase","phase":"baseline"}`, wire.Phase{Phase: "baseline"}},
		{"evidence has a default", `{"v":1,"kind":"escalation","category":"c","reason":"r"}`, wire.Escalation{Category: "c", Reason: "r"}},
		{"baseline has a default", `{"v":1,"kind":"segment","fingerprint":"f","regime":"r"}`, wire.Segment{Fingerprint: "f", Regime: "r"}},
		{"whole number with a fraction", `{"v":1,"kind":"agent_start","iter":3.0}`, wire.AgentStart{Iter: 3}},
		{"number without a fraction", `{"v":1,"kind":"budget","spent":5,"elapsed_secs":1}`, wire.Budget{Spent: 5, ElapsedSecs: 1}},
		{"lone surrogate", `{"v":1,"kind":"note","msg":"\ud800x"}`, wire.Note{Msg: "\uFFFDx"}},
		{"not UTF-8", "{\"v\":1,\"kind\":\"note\",\"msg\":\"a\xffb\"}", wire.Note{Msg: "a\uFFFDb"}},
		{"names are not folded", `{"v":1,"kind":"note","msg":"m","MSG":"x","Kind":"y"}`, wire.Note{Msg: "m"}},
		{"identity of the first version", `{"v":1,"kind":"identity","identity":{"components":[],"manifest_hash":"a","inject_hash":"b","measure_cmd":"c","direction":"lower","digest":"v1:d"}}`,
			wire.Identity{Identity: wire.IdentityData{Components: []wire.Component{}, ManifestHash: "a", InjectHash: "b", MeasureCmd: "c", Direction: "lower", Digest: "v1:d"}}},
		{"row of the first version", `{"v":1,"kind":"row","row":{"iter":1,"decision":"keep","note":"","detail":""},"solved":true}`,
			wire.Row{Row: wire.RowData{Iter: 1, Decision: "keep"}, Solved: true}},
		{"unknown kind", `{"v":1,"kind":"x","a":1}`, wire.Unknown{Name: "x", Line: []byte(`{"v":1,"kind":"x","a":1}`)}},
		{"unknown agent event", `{"v":1,"kind":"agent","event":{"kind":"x","a":1}}`,
			wire.Agent{Event: wire.AgentUnknown{Name: "x", JSON: []byte(`{"kind":"x","a":1}`)}}},
		{"agent event without fields", `{"v":1,"kind":"agent","event":{"kind":"raw"}}`, wire.Agent{Event: wire.Raw{Stream: "stdout"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := wire.Decode([]byte(tt.line))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestDecodeRefuses(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("[", wire.MaxDepth) + strings.Repeat("]", wire.MaxDepth)
	tests := map[string]string{
		"nothing":              "",
		"blank":                " \n",
		"torn":                 `{"v":1,"kind":"note","ms`,
		"torn string":          `{"v":1,"kind":"note","msg":"m`,
		"two values":           `{"v":1,"kind":"finished"}{"v":1,"kind":"finished"}`,
		"zero bytes":           "\x00\x00\x00\x00",
		"not an object":        `[1]`,
		"a string":             `"note"`,
		"no kind":              `{"v":1}`,
		"kind null":            `{"v":1,"kind":null}`,
		"kind a number":        `{"v":1,"kind":3}`,
		"member missing":       `{"v":1,"kind":"note"}`,
		"member null":          `{"v":1,"kind":"budget","spent":null,"elapsed_secs":0}`,
		"wrong type":           `{"v":1,"kind":"note","msg":["m"]}`,
		"number in quotes":     `{"v":1,"kind":"agent_start","iter":"3"}`,
		"negative count":       `{"v":1,"kind":"agent_start","iter":-1}`,
		"count too large":      `{"v":1,"kind":"agent_start","iter":4294967296}`,
		"count with fraction":  `{"v":1,"kind":"agent_start","iter":1.5}`,
		"number out of range":  `{"v":1,"kind":"budget","spent":1e999,"elapsed_secs":0}`,
		"flag a number":        `{"v":1,"kind":"row","row":{"iter":1,"decision":"d","note":"","detail":""},"solved":1}`,
		"object wrong type":    `{"v":1,"kind":"row","row":[],"solved":true}`,
		"list wrong type":      `{"v":1,"kind":"plugins","plugins":{}}`,
		"item wrong type":      `{"v":1,"kind":"plugins","plugins":[1]}`,
		"nested member":        `{"v":1,"kind":"plugins","plugins":[{"kind":"world"}]}`,
		"agent event a string": `{"v":1,"kind":"agent","event":"x"}`,
		"agent event no kind":  `{"v":1,"kind":"agent","event":{}}`,
		"too deep":             `{"v":1,"kind":"note","msg":"m","x":` + deep + `}`,
		"too deep and torn":    strings.Repeat(`{"a":`, 1<<20),
		"too many members":     `{"v":1,"kind":"note","msg":"m"` + strings.Repeat(`,"x":0`, 1000) + `}`,
		"too long":             `{"v":1,"kind":"note","msg":"` + strings.Repeat("m", wire.MaxLine) + `"}`,
	}
	for name, line := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if e, err := wire.Decode([]byte(line)); err == nil {
				t.Errorf("got %#v", e)
			} else if len(err.Error()) > 200 {
				t.Errorf("the error has %d bytes", len(err.Error()))
			}
		})
	}
}

func TestDecodeTakesTheLongestLine(t *testing.T) {
	t.Parallel()
	line, err := wire.Encode(wire.Note{Msg: strings.Repeat("x", wire.MaxLine-len(`{"v":1,"kind":"note","msg":""}`))})
	if err != nil || len(line) != wire.MaxLine {
		t.Fatal(len(line), err)
	}
	if _, err := wire.Decode(append(line, '\n')); err != nil {
		t.Error(err)
	}
}

func FuzzDecode(f *testing.F) {
	for _, lines := range goldens(f) {
		for _, line := range lines {
			f.Add([]byte(line))
		}
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		e, err := wire.Decode(line)
		if err != nil {
			return
		}
		// What was read can be written, and reads back the same.
		out, err := wire.Encode(e)
		if err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		if strings.ContainsAny(string(out), "\n\r") {
			t.Fatalf("not one line: %q", out)
		}
		again, err := wire.Decode(out)
		if err != nil {
			t.Fatalf("%q became %q: %v", line, out, err)
		}
		final, err := wire.Encode(again)
		if err != nil || string(final) != string(out) {
			t.Fatalf("%q became %q, then %q, %v", line, out, final, err)
		}
		wire.MapText(e, strings.ToUpper)
	})
}
