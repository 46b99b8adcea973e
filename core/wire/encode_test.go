package wire_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/crucible-engine/crucible/core/wire"
)

func TestNumbers(t *testing.T) {
	t.Parallel()
	tests := map[float64]string{
		0: "0.0", 5: "5.0", -5: "-5.0", 0.1: "0.1", 41.5: "41.5", 1e15: "1000000000000000.0",
		9007199254740993: "9007199254740992.0", 1e16: "1e16", 1.25e17: "1.25e17", 1e100: "1e100",
		1e-5: "0.00001", 1.5e-5: "0.000015", 9.9e-6: "9.9e-6", 1e-10: "1e-10", 5e-324: "5e-324",
		math.MaxFloat64: "1.7976931348623157e308", math.Copysign(0, -1): "-0.0",
		math.Inf(1): "null", math.Inf(-1): "null", math.NaN(): "null",
	}
	for x, want := range tests {
		line, err := wire.Encode(wire.Budget{Spent: x})
		if err != nil {
			t.Fatal(err)
		}
		if got := string(line); got != `{"v":1,"kind":"budget","spent":`+want+`,"elapsed_secs":0}` {
			t.Errorf("%v: got %s, want %s", x, got, want)
		}
	}
}

func TestStrings(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"<a href='x'>&</a>":    `<a href='x'>&</a>`,
		"\u2028\u2029":         "\u2028\u2029",
		"a\xffb":               "a\uFFFDb",
		"\xe2\x82":             "\uFFFD\uFFFD",
		"\xed\xa0\x80":         "\uFFFD\uFFFD\uFFFD",
		"😀":                    "😀",
		"\x00\x01\x1f\x7f":     "\\u0000\\u0001\\u001f\x7f",
		"\b\t\n\f\r\v":         `\b\t\n\f\r\u000b`,
		`"\/`:                  `\"\\/`,
		"\x1b]0;title\x07":     `\u001b]0;title\u0007`,
		"\uFFFD":               "\uFFFD",
		strings.Repeat("x", 3): "xxx",
	}
	for in, want := range tests {
		line, err := wire.Encode(wire.Note{Msg: in})
		if err != nil {
			t.Fatal(err)
		}
		if got := string(line); got != `{"v":1,"kind":"note","msg":"`+want+`"}` {
			t.Errorf("%q: got %s, want %s", in, got, want)
		}
	}
}

func TestEncodeRefuses(t *testing.T) {
	t.Parallel()
	tests := map[string]wire.Event{
		"negative count":  wire.AgentStart{Iter: -1},
		"count too large": wire.Phase{Iter: 1 << 32},
		"no agent event":  wire.Agent{},
		"broken JSON":     wire.Agent{Event: wire.SandboxLog{Fields: []byte(`{"a":`)}},
		"two JSON values": wire.Agent{Event: wire.SandboxLog{Fields: []byte(`{} {}`)}},
		"broken unknown":  wire.Unknown{Name: "x", Line: []byte("{\n")},
		"too long":        wire.Note{Msg: strings.Repeat("x", wire.MaxLine)},
	}
	for name, e := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dst := []byte("before")
			line, err := wire.Append(dst, e)
			if err == nil || string(line) != "before" {
				t.Errorf("got %.60q, %v", line, err)
			}
		})
	}
}

func TestAppendKeepsWhatIsThere(t *testing.T) {
	t.Parallel()
	got, err := wire.Append([]byte("x"), wire.Finished{})
	if err != nil || string(got) != `x{"v":1,"kind":"finished"}` {
		t.Errorf("got %s, %v", got, err)
	}
}

// TestLongSummary: a run of many large candidates still ends with a line that a
// reader takes.
func TestLongSummary(t *testing.T) {
	t.Parallel()
	rows := make([]wire.RowData, 90)
	for i := range rows {
		rows[i] = wire.RowData{Iter: i, Decision: wire.DecisionKeep, Diff: strings.Repeat("d", wire.MaxDiff), Detail: "{}", KeptSnap: "k"}
	}
	line, err := wire.Encode(wire.Summary{Rows: rows, Gate: "g"})
	if err != nil {
		t.Fatal(err)
	}
	e, err := wire.Decode(line)
	if err != nil {
		t.Fatal(err)
	}
	s := e.(wire.Summary)
	if len(s.Rows) != 90 || s.Rows[7].Diff != "" || s.Rows[7].Detail != "{}" || s.Rows[7].KeptSnap != "k" {
		t.Errorf("got %d rows, %+v", len(s.Rows), s.Rows[7])
	}
	if rows[7].Diff == "" {
		t.Error("the caller's rows were changed")
	}
	for i := range rows {
		rows[i].CandidateMD = strings.Repeat("c", wire.MaxDiff)
	}
	if line, err = wire.Encode(wire.Summary{Rows: rows, Gate: "g"}); err != nil || len(line) > 1<<20 {
		t.Errorf("got %d bytes, %v", len(line), err)
	}
	for i := range rows {
		rows[i].Note = strings.Repeat("n", wire.MaxDiff)
	}
	if _, err = wire.Encode(wire.Summary{Rows: rows, Gate: "g"}); !errors.Is(err, wire.ErrTooLong) {
		t.Errorf("got %v", err)
	}
}
