package report

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/crucible-engine/crucible/core/wire"
)

// Bounds of RESULTS.md. The session log has what is left out.
const (
	maxGoal      = 64 << 10 // bytes
	maxRows      = 200
	maxNoteCell  = 300  // characters
	maxDetail    = 1000 // characters of a reading's detail
	maxEvidence  = 200  // characters of one item of evidence
	maxEvidences = 20   // items of a row
)

// Table is what RESULTS.md shows.
type Table struct {
	Goal string
	// Objective is the judge's label, empty without one.
	Objective string
	// Rows are the run's rows in their order.
	Rows []wire.RowData
}

// Results renders RESULTS.md, which the agent reads before each turn: the goal,
// the best row so far, and one row for each candidate. The goal is the
// operator's and stays Markdown; everything else is escaped so that no text can
// break the table, be taken for markup, or load anything in a viewer.
func Results(t Table) []byte {
	var b strings.Builder
	b.WriteString("# Results\n\n## Goal\n\n")
	b.WriteString(goal(t.Goal))
	b.WriteString("\n\n## Candidates\n\n")
	b.WriteString(bestLine(t))
	shown, leftOut := selectRows(t.Rows, maxRows)
	if leftOut > 0 {
		fmt.Fprintf(&b, "%d rows after the first are left out here: the table shows the newest %d of %d.\n\n",
			leftOut, len(shown)-1, len(t.Rows))
	}
	b.WriteString("| iter | decision | score | note | detail |\n")
	b.WriteString("| ---: | --- | ---: | --- | --- |\n")
	for _, r := range shown {
		writeRow(&b, r)
	}
	return []byte(b.String())
}

// goal bounds the operator's text and neutralises each line of it.
func goal(text string) string {
	text = strings.TrimSpace(text)
	cut := wire.Cut(text, maxGoal)
	var b strings.Builder
	for line := range strings.Lines(cut) {
		b.WriteString(strings.TrimRight(clean(strings.TrimRight(line, "\r\n")), " "))
		b.WriteByte('\n')
	}
	if len(cut) < len(text) {
		fmt.Fprintf(&b, "\n(%d of %d bytes of the goal)\n", len(cut), len(text))
	}
	return strings.TrimRight(b.String(), "\n")
}

// bestLine names what the next candidate has to beat: the last kept row.
func bestLine(t Table) string {
	best := lastKept(t.Rows)
	if best == nil || best.Score == nil {
		return ""
	}
	what := escape(oneLine(t.Objective, 100))
	if what == "" {
		what = "score"
	}
	return fmt.Sprintf("Best %s so far: %s (iteration %d).\n\n", what, score(best.Score), best.Iter)
}

// lastKept is the row of the best candidate: by C-DECIDE each kept one takes the
// place of the best before it.
func lastKept(rows []wire.RowData) *wire.RowData {
	for i := len(rows) - 1; i >= 0; i-- {
		if rows[i].Decision == wire.DecisionKeep || rows[i].Decision == wire.DecisionBaseline {
			return &rows[i]
		}
	}
	return nil
}

func writeRow(b *strings.Builder, r wire.RowData) {
	value := ""
	if r.Score != nil {
		value = scoreCell(r)
	}
	b.WriteString("| " + strconv.Itoa(r.Iter))
	b.WriteString(" | " + escape(oneLine(r.Decision, 40)))
	b.WriteString(" | " + value)
	b.WriteString(" | " + escape(oneLine(r.Note, maxNoteCell)))
	b.WriteString(" | " + detail(r))
	b.WriteString(" |\n")
}

// detail is the reading's JSON as code, followed by what the tasks found.
func detail(r wire.RowData) string {
	var parts []string
	if d := oneLine(r.Detail, maxDetail); d != "" {
		parts = append(parts, code(d))
	}
	for i, e := range r.Evidence {
		if i == maxEvidences {
			parts = append(parts, fmt.Sprintf("%d more", len(r.Evidence)-i))
			break
		}
		item := oneLine(e.Task, 100) + " " + oneLine(e.Disposition, 20)
		if e.Note != "" {
			item += ": " + oneLine(e.Note, maxEvidence)
		}
		parts = append(parts, escape(item))
	}
	return strings.Join(parts, "; ")
}

// code is a code span for JSON. A pipe would end the table cell even there, and
// can only stand in a string, where JSON has another way to write it. The fence
// is longer than any run of backticks in the text.
func code(s string) string {
	longest, run := 0, 0
	for _, c := range s {
		if c == '`' {
			run++
			longest = max(longest, run)
		} else {
			run = 0
		}
	}
	fence := strings.Repeat("`", longest+1)
	pad := ""
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		pad = " "
	}
	return fence + pad + strings.ReplaceAll(s, "|", `\u007c`) + pad + fence
}

// escaper takes away what could end a cell, open markup or load an image.
var escaper = strings.NewReplacer(
	`\`, `\\`, "|", `\|`, "`", "\\`", "[", `\[`, "]", `\]`, "<", "&lt;", ">", "&gt;", "&", "&amp;",
)

// escape makes a clean text plain in a table cell.
func escape(s string) string { return escaper.Replace(s) }
