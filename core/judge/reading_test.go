package judge_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/crucible-engine/crucible/core/decide"
	"github.com/crucible-engine/crucible/core/judge"
)

func TestParseReading(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, line string
		want       decide.Reading
	}{
		{"least", `{"valid":false}`, decide.Reading{Note: "invalid"}},
		{"valid without a score", `{"valid":true,"score":null}`, decide.Reading{Valid: true, Note: "no score"}},
		{"score", `{"valid":true,"score":12.50}`, decide.Reading{Valid: true, Score: new(12.5), Note: "size = 12.5"}},
		{"score of an invalid one", `{"valid":false,"score":3}`, decide.Reading{Score: new(3.0), Note: "invalid"}},
		{
			"everything",
			`  {"valid":true,"score":1,"tiebreak":2,"solved":true,"note":"n","detail":{"total":7,"b":[1,{"z":1,"a":"<>"}]}}  `,
			decide.Reading{
				Valid: true, Score: new(1.0), Tiebreak: new(2.0), Solved: true, Note: "n",
				Detail: `{"b":[1,{"a":"<>","z":1}],"total":7}`, Total: new(uint64(7)),
			},
		},
		{
			"null is absent", `{"valid":true,"score":1,"tiebreak":null,"solved":null,"note":null,"detail":null}`,
			decide.Reading{Valid: true, Score: new(1.0), Note: "size = 1"},
		},
		{"empty note is absent", `{"valid":true,"score":1,"note":" \n"}`, decide.Reading{Valid: true, Score: new(1.0), Note: "size = 1"}},
		{"empty detail", `{"valid":false,"detail":{}}`, decide.Reading{Note: "invalid", Detail: "{}"}},
		{"unknown keys", `{"valid":false,"Valid":true,"SCORE":1,"x":{}}`, decide.Reading{Note: "invalid"}},
		{"note of several lines", `{"valid":false,"note":"a\r\n\u001b[31mb\u202ec \ud800"}`, decide.Reading{Note: "a [31mb c \uFFFD"}},
		{"minus zero", `{"valid":true,"score":-0.0}`, decide.Reading{Valid: true, Score: new(0.0), Note: "size = 0"}},
		{"too small", `{"valid":true,"score":1e-999}`, decide.Reading{Valid: true, Score: new(0.0), Note: "size = 0"}},
		{
			"beyond 2^53", `{"valid":true,"score":9007199254740993}`,
			decide.Reading{Valid: true, Score: new(9007199254740992.0), Note: "size = 9007199254740992"},
		},
		{"exponent", `{"valid":true,"score":1e21}`, decide.Reading{Valid: true, Score: new(1e21), Note: "size = 1000000000000000000000"}},
		{
			"largest total", `{"valid":false,"detail":{"total":18446744073709551615}}`,
			decide.Reading{Note: "invalid", Detail: `{"total":18446744073709551615}`, Total: new(uint64(math.MaxUint64))},
		},
		{
			"total beyond 64 bits", `{"valid":false,"detail":{"total":18446744073709551616}}`,
			decide.Reading{Note: "invalid", Detail: `{"total":18446744073709551616}`},
		},
		{"total with a fraction", `{"valid":false,"detail":{"total":5.0}}`, decide.Reading{Note: "invalid", Detail: `{"total":5.0}`}},
		{"negative total", `{"valid":false,"detail":{"total":-1}}`, decide.Reading{Note: "invalid", Detail: `{"total":-1}`}},
		{"total as text", `{"valid":false,"detail":{"total":"1"}}`, decide.Reading{Note: "invalid", Detail: `{"total":"1"}`}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := judge.ParseReading([]byte(test.line), "size")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("reading (-want +got):\n%s", diff)
			}
			if got.Score != nil && *got.Score == 0 && math.Signbit(*got.Score) {
				t.Error("the score is minus zero")
			}
		})
	}
}

func TestMalformed(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, line, want string }{
		{"empty", "", "reading: not JSON: unexpected end of JSON input"},
		{"open", `{"valid":true`, "reading: not JSON: unexpected end of JSON input"},
		{"not a number", `{"valid":true,"score":NaN}`, "reading: not JSON: invalid character 'N' looking for beginning of value"},
		{"something after it", `{"valid":true} {}`, "reading: not JSON: invalid character '{' after top-level value"},
		{"not an object", `[1]`, "reading: is an array, want an object"},
		{"no valid", `{"score":1}`, "reading: valid is missing"},
		{"valid is null", `{"valid":null}`, "reading: valid is null, want true or false"},
		{"valid is text", `{"valid":"true"}`, "reading: valid is text, want true or false"},
		{"valid is 1", `{"valid":1}`, "reading: valid is a number, want true or false"},
		{"score is text", `{"valid":true,"score":"1"}`, "reading: score is text, want a number"},
		{"tiebreak is true", `{"valid":true,"tiebreak":true}`, "reading: tiebreak is true or false, want a number"},
		{"solved is 1", `{"valid":true,"solved":1}`, "reading: solved is a number, want true or false"},
		{"note is an object", `{"valid":true,"note":{}}`, "reading: note is an object, want text"},
		{"detail is an array", `{"valid":true,"detail":[]}`, "reading: detail is an array, want an object"},
		{"out of range", `{"valid":true,"score":1e999}`, "reading: score: the number 1e999 is out of range"},
		{"out of range below", `{"valid":true,"score":-1e999}`, "reading: score: the number -1e999 is out of range"},
		{"out of range inside", `{"valid":true,"detail":{"a":[{"b":1e999}]}}`, "reading: detail.a.b: the number 1e999 is out of range"},
		{"key twice", `{"valid":false,"valid":true}`, "reading: valid occurs twice"},
		{"key twice, written differently", `{"valid":false,"v\u0061lid":true}`, "reading: valid occurs twice"},
		{"key twice inside", `{"valid":true,"detail":{"a":{"b":1,"b":1}}}`, "reading: detail.a.b occurs twice"},
		{"too deep", `{"valid":true,"detail":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}`, "reading: nests deeper than the limit of 64"},
		{"far too deep", `{"valid":true,"detail":` + strings.Repeat("[", 50000), "reading: not JSON: invalid character '[' exceeded max depth"},
		{"detail too long", `{"valid":true,"detail":{"a":"` + strings.Repeat("x", 65536) + `"}}`, "reading: detail has 65544 bytes, the limit is 65536"},
		{"too long", `{"valid":true,"x":"` + strings.Repeat("x", 1<<20) + `"}`, "reading: longer than the limit of 1048576 bytes"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			reading, err := judge.ParseReading([]byte(test.line), "size")
			if err == nil {
				t.Fatalf("got %+v, want an error", reading)
			}
			if diff := cmp.Diff(test.want, err.Error()); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(decide.Reading{}.Valid, reading.Valid); diff != "" {
				t.Errorf("valid (-want +got):\n%s", diff)
			}
		})
	}
}

func TestLongNoteIsCut(t *testing.T) {
	t.Parallel()
	for lead := range 3 {
		line := `{"valid":false,"note":"` + strings.Repeat("x", lead) + strings.Repeat("é", 2000) + `"}`
		got, err := judge.ParseReading([]byte(line), "size")
		if err != nil {
			t.Fatal(err)
		}
		checkNote(t, got.Note)
		if len(got.Note) < judge.MaxNote-4 || !strings.HasSuffix(got.Note, "…") {
			t.Errorf("note of %d bytes ends in %q", len(got.Note), got.Note[len(got.Note)-6:])
		}
	}
}

func checkNote(t *testing.T, note string) {
	t.Helper()
	if len(note) > judge.MaxNote || note == "" || !utf8.ValidString(note) || strings.ContainsAny(note, "\r\n\x1b\x00") {
		t.Errorf("bad note of %d bytes: %q", len(note), note)
	}
}

func FuzzParseReading(f *testing.F) {
	for _, seed := range []string{
		`{"valid":true,"score":1}`,
		`{"valid":true,"score":-0,"tiebreak":1e308,"solved":true,"note":"a\nb","detail":{"total":3,"x":[null,{}]}}`,
		`{"valid":false,"valid":true}`,
		`{"valid":true,"score":1e999}`,
		`{"valid":true} x`,
		`{"valid":true,"detail":[[[[`,
		"{\"valid\":true,\"note\":\"\xff\\ud800\"}",
		"\t{ }",
	} {
		f.Add([]byte(seed), "score")
	}
	f.Fuzz(func(t *testing.T, line []byte, objective string) {
		reading, err := judge.ParseReading(line, objective)
		if err != nil {
			if reading.Valid && reading.Note != "" {
				t.Fatalf("a malformed reading is complete: %+v", reading)
			}
			if strings.Contains(err.Error(), "\n") || len(err.Error()) > 400 {
				t.Fatalf("error is not one short line: %q", err)
			}
			return
		}
		checkNote(t, reading.Note)
		for _, number := range []*float64{reading.Score, reading.Tiebreak} {
			if number != nil && (math.IsInf(*number, 0) || math.IsNaN(*number)) {
				t.Fatalf("not finite: %v", *number)
			}
		}
		if reading.Detail == "" {
			return
		}
		if !json.Valid([]byte(reading.Detail)) || len(reading.Detail) > judge.MaxDetail {
			t.Fatalf("bad detail: %q", reading.Detail)
		}
		again, err := judge.ParseReading([]byte(`{"valid":true,"detail":`+reading.Detail+`}`), objective)
		if err != nil || again.Detail != reading.Detail {
			t.Fatalf("detail changes when it is read again: %q, %q, %v", reading.Detail, again.Detail, err)
		}
	})
}
