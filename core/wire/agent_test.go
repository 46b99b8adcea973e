package wire_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crucible-engine/crucible/core/wire"
)

func TestDecodeAgentEvent(t *testing.T) {
	t.Parallel()
	cost := 0.25
	long := strings.Repeat("ä", 2<<20)
	full := wire.AgentOptions{ToolIO: true}
	tests := []struct {
		name, kind, json string
		opts             wire.AgentOptions
		want             wire.AgentEvent
	}{
		{"all defaults", "result", `{}`, full, wire.Result{}},
		{"nulls are defaults", "tokens", `{"input":null,"cost_usd":null,"rate":null}`, full, wire.Tokens{}},
		{"kind and v repeated", "text", `{"v":1,"kind":"text","delta":"x"}`, full, wire.Text{Delta: "x"}},
		{"unknown members", "exit", `{"code":3,"signal":"KILL"}`, full, wire.Exit{Code: 3}},
		{"whole float", "tokens", `{"input":12.0,"cost_usd":0.25}`, full, wire.Tokens{Input: 12, CostUSD: &cost}},
		{"text is cut at a character", "text", `{"delta":"x` + long + `"}`, full, wire.Text{Delta: "x" + long[:1<<20-2]}},
		{"names are cut", "meta", `{"model":"` + strings.Repeat("m", 5000) + `"}`, full, wire.Meta{Model: strings.Repeat("m", 1024)}},
		{"tool without its input", "tool", `{"name":"sh","input":"secret","result":"r"}`, wire.AgentOptions{}, wire.Tool{Name: "sh"}},
		{"tool with its input", "tool", `{"name":"sh","input":{"b":1,"a":"x"},"result":"` + strings.Repeat("r", 3000) + `"}`, full,
			wire.Tool{Name: "sh", Input: `{"a":"x","b":1}`, Result: strings.Repeat("r", 2048)}},
		{"stream", "raw", `{"text":"t","stream":"elsewhere"}`, full, wire.Raw{Text: "t", Stream: "stdout"}},
		{"stderr", "raw", `{"text":"t","stream":"stderr"}`, full, wire.Raw{Text: "t", Stream: "stderr"}},
		{"sandbox fields", "sandbox_log", `{"denial":true,"fields":{"b":1}}`, full, wire.SandboxLog{Denial: true, Fields: []byte(`{"b":1}`)}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := wire.DecodeAgentEvent(tt.kind, []byte(tt.json), tt.opts)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("%.300s", diff)
			}
			if got.Kind() != tt.kind {
				t.Errorf("kind %s", got.Kind())
			}
		})
	}
}

func TestDecodeAgentEventRefuses(t *testing.T) {
	t.Parallel()
	tests := map[string][2]string{
		"unknown kind":    {"x", `{}`},
		"session kind":    {"row", `{}`},
		"not an object":   {"text", `"x"`},
		"torn":            {"text", `{"delta":`},
		"wrong type":      {"text", `{"delta":3}`},
		"negative":        {"tokens", `{"input":-1}`},
		"code too large":  {"exit", `{"code":99999999999}`},
		"too many models": {"otel_summary", `{"models":[{}` + strings.Repeat(",{}", 100) + `]}`},
		"large fields":    {"sandbox_log", `{"fields":"` + strings.Repeat("x", 17<<10) + `"}`},
		"deep fields":     {"sandbox_log", `{"fields":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if e, err := wire.DecodeAgentEvent(tt[0], []byte(tt[1]), wire.AgentOptions{}); err == nil {
				t.Errorf("got %#v", e)
			}
		})
	}
	if _, err := wire.DecodeAgentEvent("x", []byte(`{}`), wire.AgentOptions{}); !errors.Is(err, wire.ErrUnknownAgentKind) {
		t.Errorf("got %v", err)
	}
}

func TestCostOf(t *testing.T) {
	t.Parallel()
	zero, one, minus, nan := 0.0, 1.0, -1.0, math.NaN()
	tests := []struct {
		name  string
		event wire.AgentEvent
		usd   float64
		ok    bool
	}{
		{"result", wire.Result{CostUSD: 0.5}, 0.5, true},
		{"result without cost", wire.Result{}, 0, false},
		{"otel", wire.OtelSummary{CostUSD: 0.5}, 0.5, true},
		{"otel without cost", wire.OtelSummary{}, 0, false},
		{"tokens", wire.Tokens{CostUSD: &one}, 1, true},
		{"free tokens", wire.Tokens{CostUSD: &zero}, 0, true},
		{"tokens without cost", wire.Tokens{}, 0, false},
		{"negative", wire.Tokens{CostUSD: &minus}, 0, false},
		{"not a number", wire.Tokens{CostUSD: &nan}, 0, false},
		{"infinite", wire.Result{CostUSD: math.Inf(1)}, 0, false},
		{"log", wire.Log{Level: "detail", Label: "Cost", Value: "$0.42"}, 0.42, true},
		{"log without dollars", wire.Log{Level: "detail", Label: "Cost", Value: "0.42"}, 0, false},
		{"log of another level", wire.Log{Level: "info", Label: "Cost", Value: "$0.42"}, 0, false},
		{"log with words", wire.Log{Level: "detail", Label: "Cost", Value: "$a lot"}, 0, false},
		{"log infinite", wire.Log{Level: "detail", Label: "Cost", Value: "$Inf"}, 0, false},
		{"text", wire.Text{Delta: "$1"}, 0, false},
		{"none", nil, 0, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if usd, ok := wire.CostOf(tt.event); usd != tt.usd || ok != tt.ok {
				t.Errorf("got %v %v", usd, ok)
			}
		})
	}
}

func FuzzDecodeAgentEvent(f *testing.F) {
	f.Add("text", []byte(`{"delta":"x"}`))
	f.Add("tool", []byte(`{"name":"sh","input":{"a":[1,2.50,"x"]},"result":null}`))
	f.Add("sandbox_log", []byte(`{"fields":{"b":1,"a":1e400}}`))
	f.Add("otel_summary", []byte(`{"models":[{"model":"m","cost_usd":0.1}]}`))
	f.Fuzz(func(t *testing.T, kind string, data []byte) {
		e, err := wire.DecodeAgentEvent(kind, data, wire.AgentOptions{ToolIO: true})
		if err != nil {
			return
		}
		line, err := wire.Encode(wire.Agent{Event: e})
		if err != nil {
			t.Fatalf("%s %q: %v", kind, data, err)
		}
		if _, err := wire.Decode(line); err != nil {
			t.Fatalf("%s %q became %q: %v", kind, data, line, err)
		}
		if usd, ok := wire.CostOf(e); ok && (usd < 0 || math.IsNaN(usd) || math.IsInf(usd, 0)) {
			t.Fatalf("cost %v", usd)
		}
	})
}
