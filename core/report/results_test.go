package report_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crucible-engine/crucible/core/report"
	"github.com/crucible-engine/crucible/core/wire"
)

var update = flag.Bool("update", os.Getenv("CRUCIBLE_UPDATE") != "", "write the goldens anew")

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Error(diff)
	}
}

func ptr(x float64) *float64 { return &x }

// rows are a run with everything that can be in a table.
func rows() []wire.RowData {
	return []wire.RowData{
		{Iter: 0, Decision: wire.DecisionBaseline, Note: "bytes = 1843200", Score: ptr(1843200)},
		{Iter: 1, Decision: wire.DecisionKeep, Note: "strip symbols", Detail: `{"total":12}`, Score: ptr(1290240.5), KeptSnap: "3c9e"},
		{Iter: 2, Decision: wire.DecisionDiscard, Note: "a | b `c` <img src=x> [l](http://x) & \\", Score: ptr(1.5e6),
			Detail: "{\"a\":\"x|y\\\\|z\",\"b\":\"``\"}"},
		{Iter: 3, Decision: wire.DecisionDiscarded, Note: "exit status 1\n\x1b[31mred\u202e"},
		{Iter: 3, Decision: wire.DecisionInfraDead, Phase: wire.RowPhaseInfra, Note: "503"},
		{Iter: 4, Decision: wire.DecisionKeep, Note: "größer", Score: ptr(-0.25), Detail: "`", Evidence: []wire.Evidence{
			{Task: "audit", Disposition: "passed"}, {Task: "lint", Disposition: "failed", Note: "two | warnings"}}},
	}
}

func TestResults(t *testing.T) {
	t.Parallel()
	got := report.Results(report.Table{
		Goal: "\nShrink the *binary*.\r\n\r\n- keep the output\x1b[2J\n", Objective: "bytes|n", Rows: rows(),
	})
	golden(t, "results.md", string(got))
}

func TestResultsBeforeTheFirstRow(t *testing.T) {
	t.Parallel()
	golden(t, "results_empty.md", string(report.Results(report.Table{Goal: "g"})))
}

// TestResultsKeepTheirShape: no text adds a line or a cell.
func TestResultsKeepTheirShape(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"|", "\\|", "\\\\|", "a\nb", "\r\n|", "`|`", "\u2028|", "<br>|<!--", "\x00|", "&#124;|", "\xff|\\"} {
		out := string(report.Results(report.Table{Goal: "g", Rows: []wire.RowData{
			{Decision: text, Note: text, Detail: text, Evidence: []wire.Evidence{{Task: text, Disposition: text, Note: text}}},
		}}))
		line := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
		if n := len(line); line[n-2] != "| ---: | --- | ---: | --- | --- |" {
			t.Fatalf("%q: the row is not one line: %q", text, out)
		}
		if n := cells(line[len(line)-1]); n != 5 {
			t.Errorf("%q: %d cells in %q", text, n, line[len(line)-1])
		}
	}
}

// cells counts the cells of a row as GitHub does: a backslash takes the next
// character with it, in code as well.
func cells(row string) int {
	n := -1
	for i := 0; i < len(row); i++ {
		switch row[i] {
		case '\\':
			i++
		case '|':
			n++
		}
	}
	return n
}

func TestResultsAreBounded(t *testing.T) {
	t.Parallel()
	large := strings.Repeat("<|`&", 1<<18)
	many := make([]wire.RowData, 1000)
	for i := range many {
		many[i] = wire.RowData{Iter: i, Decision: large, Note: large, Detail: large, Diff: large, CandidateMD: large}
		for range 50 {
			many[i].Evidence = append(many[i].Evidence, wire.Evidence{Task: large, Disposition: large, Note: large})
		}
	}
	out := string(report.Results(report.Table{Goal: large, Objective: large, Rows: many}))
	if len(out) > 8<<20 {
		t.Errorf("%d bytes", len(out))
	}
	for _, part := range []string{
		"800 rows after the first are left out here: the table shows the newest 199 of 1000.",
		fmt.Sprintf("(%d of %d bytes of the goal)", 64<<10, len(large)), "| 0 |", "| 801 |", "| 999 |", "; 30 more |",
	} {
		if !strings.Contains(out, part) {
			t.Errorf("%q is missing", part)
		}
	}
	if strings.Contains(out, "| 800 |") {
		t.Error("a row that is left out is there")
	}
}

func TestSummary(t *testing.T) {
	t.Parallel()
	golden(t, "summary.txt", report.Summary(rows(), "lower"))
}

func TestScoreLine(t *testing.T) {
	t.Parallel()
	row := func(decision string, score *float64) wire.RowData {
		return wire.RowData{Decision: decision, Score: score}
	}
	tests := []struct {
		name      string
		direction string
		rows      []wire.RowData
		want      string
	}{
		{"better", "lower", []wire.RowData{row("baseline", ptr(50)), row("keep", ptr(41.5))}, "50 -> 41.5 (-17.0%, lower is better)"},
		{"higher", "higher", []wire.RowData{row("baseline", ptr(-2)), row("keep", ptr(-1))}, "-2 -> -1 (+50.0%, higher is better)"},
		{"only discards", "lower", []wire.RowData{row("baseline", ptr(50)), row("discard", ptr(60))}, "50 -> 50 (no improvement)"},
		{"equal and solved", "lower", []wire.RowData{row("baseline", ptr(50)), row("keep", ptr(50))}, "50 -> 50 (equal score, kept as solved)"},
		{"tie", "lower", []wire.RowData{row("baseline", ptr(50)), {Decision: "keep", Score: ptr(50), Tiebreak: ptr(3)}}, "50 -> 50 (better tiebreak: none -> 3)"},
		{"solved but worse", "lower", []wire.RowData{row("baseline", ptr(50)), row("keep", ptr(60))}, "50 -> 60 (+20.0%, worse: lower is better)"},
		{"from zero", "higher", []wire.RowData{row("baseline", ptr(0)), row("keep", ptr(3))}, "0 -> 3 (higher is better)"},
		{"unknown direction", "", []wire.RowData{row("baseline", ptr(4)), row("keep", ptr(5))}, "4 -> 5 (+25.0%)"},
		{"unknown direction from zero", "", []wire.RowData{row("baseline", ptr(0)), row("keep", ptr(5))}, "0 -> 5"},
		{"no baseline", "lower", []wire.RowData{row("baseline-skipped", nil), row("keep", ptr(3))}, "none -> 3"},
		{"nothing", "lower", []wire.RowData{row("baseline-skipped", nil), row("keep", nil)}, "none -> none"},
		{"numbers", "lower", []wire.RowData{row("baseline", ptr(1e21)), row("keep", ptr(1e-9))}, "1e+21 -> 1e-09 (-100.0%, lower is better)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := report.Summary(tt.rows, tt.direction)
			if !strings.HasSuffix(got, "\nscore: "+tt.want+"\n") {
				t.Errorf("got %s", got)
			}
		})
	}
	task := report.Summary([]wire.RowData{row("baseline-skipped", nil), row("keep", nil), row("discarded", nil)}, "")
	if !strings.HasSuffix(task, "\nkept: 1 of 2\n") {
		t.Errorf("the task lane: %s", task)
	}
	if got := report.Summary(nil, "lower"); got != "" {
		t.Errorf("got %q", got)
	}
}

func BenchmarkResults(b *testing.B) {
	many := make([]wire.RowData, 0, 200)
	for i := range 200 {
		r := rows()[1]
		r.Iter = i
		many = append(many, r)
	}
	for b.Loop() {
		report.Results(report.Table{Goal: "goal", Rows: many})
	}
}
