package report

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/crucible-engine/crucible/core/wire"
)

const (
	maxTableRows = 100
	maxTableNote = 72 // characters
)

// Summary is a finished run for people: the table of its rows and the line
// "score: <baseline> -> <best> (…)". direction is the judge's, "lower", "higher"
// or empty.
func Summary(rows []wire.RowData, direction string) string {
	p := progress{direction: direction}
	for _, r := range rows {
		p.addRow(wire.Row{Row: r})
	}
	return p.result()
}

// result is Summary for the rows seen; empty when there are none.
func (p *progress) result() string {
	if len(p.rows) == 0 {
		return ""
	}
	var b strings.Builder
	shown, leftOut := selectRows(p.rows, maxTableRows)
	writeTable(&b, shown)
	if leftOut > 0 {
		fmt.Fprintf(&b, "(%d of %d rows are left out after the first)\n", leftOut, len(p.rows))
	}
	if p.direction == "" && p.baseline == nil && p.best == nil {
		fmt.Fprintf(&b, "kept: %d of %d\n", kept(p.rows), len(p.rows)-1)
		return b.String()
	}
	fmt.Fprintf(&b, "score: %s -> %s%s\n", score(p.baseline), score(p.best), p.change())
	return b.String()
}

// kept counts the candidates that were kept.
func kept(rows []wire.RowData) int {
	n := 0
	for _, r := range rows {
		if r.Decision == wire.DecisionKeep {
			n++
		}
	}
	return n
}

// change says what became of the score. A candidate that is kept at an equal
// score owes that to its tiebreak, or to the judge's word that the goal is reached.
func (p *progress) change() string {
	last := lastKept(p.rows)
	equal := p.baseline != nil && p.best != nil && *p.baseline == *p.best
	switch {
	case !equal || last == nil || last.Decision != wire.DecisionKeep:
		return change(p.baseline, p.best, p.direction)
	case last.Tiebreak != nil:
		return fmt.Sprintf(" (better tiebreak: %s -> %s)", score(p.rows[0].Tiebreak), score(last.Tiebreak))
	default:
		return " (equal score, kept as solved)"
	}
}

// scoreCell is a row's score with its tiebreak.
func scoreCell(r wire.RowData) string {
	if r.Tiebreak == nil {
		return score(r.Score)
	}
	return score(r.Score) + " / " + score(r.Tiebreak)
}

func writeTable(b *strings.Builder, rows []wire.RowData) {
	cells := [][4]string{{"iter", "decision", "score", "note"}}
	for _, r := range rows {
		value := "-"
		if r.Score != nil {
			value = scoreCell(r)
		}
		cells = append(cells, [4]string{strconv.Itoa(r.Iter), oneLine(r.Decision, 40), value, oneLine(r.Note, maxTableNote)})
	}
	var wide [3]int
	for _, c := range cells {
		for i := range wide {
			wide[i] = max(wide[i], utf8.RuneCountInString(c[i]))
		}
	}
	for _, c := range cells {
		row := fmt.Sprintf("%*s  %-*s  %*s  %s", wide[0], c[0], wide[1], c[1], wide[2], c[2], c[3])
		b.WriteString(strings.TrimRight(row, " "))
		b.WriteByte('\n')
	}
}
