package wire_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/crucible-engine/crucible/core/wire"
)

func TestCutDiff(t *testing.T) {
	t.Parallel()
	exact := strings.Repeat("x", wire.MaxDiff)
	if got := wire.CutDiff(exact); got != exact {
		t.Error("a diff of the limit was cut")
	}
	got := wire.CutDiff(exact[1:] + "äöü")
	if want := exact[1:] + "\n[diff cut at 200000 of 200005 bytes]\n"; got != want {
		t.Errorf("got %q", got[wire.MaxDiff-10:])
	}
}

func TestCut(t *testing.T) {
	t.Parallel()
	tests := []struct {
		in    string
		limit int
		want  string
	}{
		{"abc", 3, "abc"}, {"abc", 2, "ab"}, {"abc", 0, ""}, {"", 0, ""}, {"ä", 1, ""}, {"aä", 2, "a"}, {"a😀", 4, "a"}, {"a😀", 5, "a😀"},
		{"\x80\x80\x80\x80\x80\x80", 4, "\x80"},
	}
	for _, tt := range tests {
		if got := wire.Cut(tt.in, tt.limit); got != tt.want {
			t.Errorf("Cut(%q, %d) = %q, want %q", tt.in, tt.limit, got, tt.want)
		}
	}
}

func TestFoldNote(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"":                        "",
		" \n\t ":                  "",
		"# Title\n\n  and  text ": "# Title and text",
		strings.Repeat("ä", 121):  strings.Repeat("ä", 120),
		strings.Repeat("ä", 120):  strings.Repeat("ä", 120),
	}
	for in, want := range tests {
		if got := wire.FoldNote(in); got != want {
			t.Errorf("FoldNote(%q) = %q", in, got)
		}
	}
	if got := wire.FoldNote(strings.Repeat("\xff", 1000)); utf8.RuneCountInString(got) > wire.MaxNote {
		t.Errorf("got %d characters", utf8.RuneCountInString(got))
	}
}

// TestMapText: texts change, what programs rely on does not, and neither does the
// event that was handed in.
func TestMapText(t *testing.T) {
	t.Parallel()
	change := func(s string) string { return strings.ReplaceAll(s, "keep", "[masked]") }
	rows := []wire.RowData{{Decision: "keep", Note: "keep", Detail: `{"a":"keep"}`, Diff: "+keep", KeptSnap: "keep",
		Evidence: []wire.Evidence{{Task: "keep", Disposition: "keep", Note: "keep"}}, CandidateMD: "keep"}}
	tests := []struct {
		name      string
		in, after wire.Event
	}{
		{"summary", wire.Summary{Rows: rows, Gate: "keep"},
			wire.Summary{Rows: []wire.RowData{{Decision: "keep", Note: "[masked]", Detail: `{"a":"[masked]"}`, Diff: "+[masked]", KeptSnap: "keep",
				Evidence: []wire.Evidence{{Task: "[masked]", Disposition: "keep", Note: "[masked]"}}, CandidateMD: "[masked]"}}, Gate: "[masked]"}},
		{"agent", wire.Agent{Event: wire.Tool{Name: "keep", Input: "keep"}}, wire.Agent{Event: wire.Tool{Name: "[masked]", Input: "[masked]"}}},
		{"error or null", wire.Agent{Event: wire.Result{Error: "keep"}}, wire.Agent{Event: wire.Result{Error: "[masked]"}}},
		{"free JSON", wire.Agent{Event: wire.SandboxLog{Fields: []byte(`{"x":["keep",1],"keep":"k"}`)}},
			wire.Agent{Event: wire.SandboxLog{Fields: []byte(`{"[masked]":"k","x":["[masked]",1]}`)}}},
		{"unknown", wire.Unknown{Name: "keep", Line: []byte(`{"v":1,"kind":"keep","b":"keep","a":1}`)},
			wire.Unknown{Name: "keep", Line: []byte(`{"v":1,"kind":"keep","b":"[masked]","a":1}`)}},
		{"unknown agent event", wire.Agent{Event: wire.AgentUnknown{Name: "keep", JSON: []byte(`{"kind":"keep","a":"keep"}`)}},
			wire.Agent{Event: wire.AgentUnknown{Name: "keep", JSON: []byte(`{"kind":"keep","a":"[masked]"}`)}}},
		{"no agent event", wire.Agent{}, wire.Agent{}},
		{"phase", wire.Phase{Phase: "keep"}, wire.Phase{Phase: "keep"}},
		{"identity", wire.Identity{Identity: wire.IdentityData{MeasureCmd: "keep", Digest: "keep", Components: []wire.Component{{Repo: "keep", BaseSHA: "keep"}}}},
			wire.Identity{Identity: wire.IdentityData{MeasureCmd: "[masked]", Digest: "keep", Components: []wire.Component{{Repo: "[masked]", BaseSHA: "keep"}}}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.after, wire.MapText(tt.in, change)); diff != "" {
				t.Error(diff)
			}
		})
	}
	if rows[0].Note != "keep" || rows[0].Evidence[0].Note != "keep" {
		t.Error("the event handed in was changed")
	}
}
