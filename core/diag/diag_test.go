package diag_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/crucible-engine/crucible/core/diag"
)

func TestDiagnosticString(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		in   diag.Diagnostic
		want string
	}{
		{"everything", diag.Diagnostic{File: "a.toml", Line: 3, Col: 7, Path: "agent.modle", Message: "unknown key", Hint: "did you mean model?"},
			"a.toml:3:7: agent.modle: unknown key; did you mean model?"},
		{"a warning", diag.Diagnostic{Severity: diag.Warning, File: "a.toml", Line: 3, Col: 7, Message: "odd"}, "a.toml:3:7: warning: odd"},
		{"no position", diag.Diagnostic{File: "a.toml", Message: "no such file"}, "a.toml: no such file"},
		{"no column", diag.Diagnostic{File: "a.toml", Line: 2, Message: "m"}, "a.toml:2:1: m"},
		{"no file", diag.Diagnostic{Line: 2, Path: "x", Message: "m"}, "x: m"},
		{"terminal escapes", diag.Diagnostic{File: "a\nb", Path: "k\x1b[2J", Message: "m\r\x00", Hint: "h\u202e\xff"},
			`a\nb: k\x1b[2J: m\r\x00; h\u202e\xff`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := tc.in.String(); got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
		})
	}
}

func TestDiagnosticIsBounded(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é\x00", 1<<20)
	if got := (diag.Diagnostic{File: long, Line: 1, Path: long, Message: long, Hint: long}).String(); len(got) > 10_000 {
		t.Errorf("%d bytes", len(got))
	}
}

func TestListOrderAndErr(t *testing.T) {
	t.Parallel()
	l := diag.List{
		{File: "b", Line: 1, Col: 1, Message: "5"},
		{File: "a", Line: 2, Col: 1, Message: "3"},
		{File: "a", Line: 1, Col: 2, Message: "2"},
		{File: "a", Line: 10, Col: 1, Message: "4", Severity: diag.Warning},
		{File: "a", Line: 1, Col: 1, Message: "1"},
	}
	err := l.Err()
	want := "a:1:1: 1\na:1:2: 2\na:2:1: 3\na:10:1: warning: 4\nb:1:1: 5"
	if diff := cmp.Diff(want, err.Error()); diff != "" {
		t.Error(diff)
	}
	var back diag.List
	if !errors.As(fmt.Errorf("load: %w", err), &back) || len(back) != 5 {
		t.Errorf("the list does not come back: %v", back)
	}
	if w := l.Warnings(); len(w) != 1 || w.Err() != nil {
		t.Errorf("warnings %v, error %v", w, w.Err())
	}
	if err := (diag.List{}).Err(); err != nil {
		t.Errorf("an empty list is an error: %v", err)
	}
}

func TestListErrorIsBounded(t *testing.T) {
	t.Parallel()
	l := make(diag.List, 250)
	lines := strings.Split(l.Error(), "\n")
	if len(lines) != 101 || lines[100] != "and 150 more" {
		t.Errorf("%d lines, last %q", len(lines), lines[len(lines)-1])
	}
}

func TestSuggest(t *testing.T) {
	t.Parallel()
	keys := []string{"model", "method_prompt", "goal", "goal_file", "agent_cmd", "env", "a", "repo"}
	for _, tc := range []struct{ word, want string }{
		{"modle", "model"},
		{"Model", "model"},
		{"goalfile", "goal_file"},
		{"goal-file", "goal_file"},
		{"methodprompt", "method_prompt"},
		{"metod_promt", "method_prompt"},
		{"agent_cmnd", "agent_cmd"},
		{"env_", "env"},
		{"goul", "goal"},
		{"gaol", "goal"},
		{"nev", "env"},
		{"repository", ""},
		{"b", ""},
		{"xy", ""},
		{"", ""},
		{"unrelated", ""},
		{strings.Repeat("model", 1000), ""},
	} {
		got, ok := diag.Suggest(tc.word, keys)
		if got != tc.want || ok != (tc.want != "") {
			t.Errorf("%.20q: got %q, %v, want %q", tc.word, got, ok, tc.want)
		}
	}
	if got, ok := diag.Suggest("model", nil); ok {
		t.Errorf("got %q out of nothing", got)
	}
}

func FuzzClean(f *testing.F) {
	for _, s := range []string{"", "plain", "\x1b[31m", "a\u2028b", "\xff\xfe", "\u202eabc", `"quoted"`, "é…"} {
		f.Add(s, 10)
	}
	f.Fuzz(func(t *testing.T, s string, limit int) {
		limit = min(max(limit, 0), 1000)
		got := diag.Clean(s, limit)
		if len(got) > limit+len("…") || !utf8.ValidString(got) {
			t.Fatalf("%q is too long or not UTF-8", got)
		}
		for _, r := range got {
			if !unicode.IsGraphic(r) {
				t.Fatalf("%q holds %U", got, r)
			}
		}
		if again := diag.Clean(got, len(got)); again != got {
			t.Fatalf("cleaned twice: %q, then %q", got, again)
		}
	})
}
