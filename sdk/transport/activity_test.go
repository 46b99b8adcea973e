package transport_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crucible-engine/crucible/sdk/transport"
)

func TestParseActivity(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]transport.Activity{
		`{"v":1,"kind":"text","delta":"hi"}`:          {Kind: "text", JSON: []byte(`{"delta":"hi"}`)},
		` {"kind":"exit","code":0,"v":9} `:            {Kind: "exit", JSON: []byte(`{"code":0}`)},
		`{"v":1,"kind":"raw"}`:                        {Kind: "raw", JSON: []byte(`{}`)},
		`{"v":null,"kind":"log","value":null}`:        {Kind: "log", JSON: []byte(`{"value":null}`)},
		`{"v":1,"kind":"tool","input":{"kind":"a"}}`:  {Kind: "tool", JSON: []byte(`{"input":{"kind":"a"}}`)},
		`{"v":1,"kind":"result","cost_usd":1e-2}`:     {Kind: "result", JSON: []byte(`{"cost_usd":1e-2}`)},
		`{"v":1,"kind":"thinking","delta":"\u00e4"}`:  {Kind: "thinking", JSON: []byte(`{"delta":"\u00e4"}`)},
		`{"v":1,"kind":"sandbox_log","target":"net"}`: {Kind: "sandbox_log", JSON: []byte(`{"target":"net"}`)},
	} {
		got, ok := transport.ParseActivity([]byte(line))
		if diff := cmp.Diff(want, got); !ok || diff != "" {
			t.Errorf("%s: ok %v (-want +got):\n%s", line, ok, diff)
		}
		if !got.Valid() {
			t.Errorf("%s: not valid", line)
		}
	}
	for _, line := range []string{
		"", "text", `"text"`, `[{"v":1,"kind":"text"}]`, `{"kind":"text"}`, `{"v":1}`, `{"v":1,"kind":"row"}`, `{"v":1,"kind":7}`,
		`{"v":1,"kind":"text"`, `{"v":1,"kind":"text"} tail`, `{"v":1,"kind":"TEXT"}`,
	} {
		if got, ok := transport.ParseActivity([]byte(line)); ok {
			t.Errorf("%q was read as %+v", line, got)
		}
	}
}

func TestActivityCostAndFailure(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		kind, json string
		cost       float64
		ok, failed bool
	}{
		{"result", `{"cost_usd":0.5}`, 0.5, true, false},
		{"result", `{"cost_usd":0,"is_error":true}`, 0, true, true},
		{"tokens", `{"cost_usd":null}`, 0, false, false},
		{"tokens", `{"cost_usd":0.25}`, 0.25, true, false},
		{"otel_summary", `{"cost_usd":2,"is_error":true}`, 2, true, false},
		{"result", `{"cost_usd":-1}`, 0, false, false},
		{"result", `{"cost_usd":"1"}`, 0, false, false},
		{"result", `{"is_error":"true"}`, 0, false, false},
		{"text", `{"cost_usd":1}`, 0, false, false},
		{"error", `{}`, 0, false, true},
		{"result", `{`, 0, false, false},
	} {
		a := transport.Activity{Kind: test.kind, JSON: []byte(test.json)}
		if cost, ok := a.Cost(); cost != test.cost || ok != test.ok {
			t.Errorf("%s %s: cost %v, %v", test.kind, test.json, cost, ok)
		}
		if got := a.Failed(); got != test.failed {
			t.Errorf("%s %s: failed %v", test.kind, test.json, got)
		}
	}
}

func TestActivityValid(t *testing.T) {
	t.Parallel()
	for _, a := range []transport.Activity{
		{}, {Kind: "text"}, {JSON: []byte("{}")}, {Kind: "Text", JSON: []byte("{}")}, {Kind: "a b", JSON: []byte("{}")},
		{Kind: "text", JSON: []byte("[]")}, {Kind: "text", JSON: []byte("{")}, {Kind: "text", JSON: []byte("{}\n{}")},
	} {
		if a.Valid() {
			t.Errorf("%+v is taken for valid", a)
		}
	}
	if later := (transport.Activity{Kind: "later_kind", JSON: []byte(`{"a":1}`)}); !later.Valid() {
		t.Error("a kind that is not known yet must pass")
	}
}

func FuzzParseActivity(f *testing.F) {
	for _, line := range []string{`{"v":1,"kind":"text","delta":"hi"}`, `{"v":1,"kind":"row"}`, "plain", `{"v":1,"kind":"log","value":1e400}`} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		a, ok := transport.ParseActivity(line)
		if ok && !a.Valid() {
			t.Errorf("%q became the invalid %q %q", line, a.Kind, a.JSON)
		}
		if usd, ok := a.Cost(); ok && !transport.ValidCost(usd) {
			t.Errorf("%q costs %v", line, usd)
		}
	})
}
