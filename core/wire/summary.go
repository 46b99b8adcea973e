package wire

import "slices"

const (
	kindSummary  = "summary"
	kindFinished = "finished"
)

// Summary repeats the whole table at the end of a run. When the line would be
// over MaxLine, the rows go without their diffs, then also without details and
// descriptions: the row lines before it have them.
type Summary struct {
	// Rows are all rows of the run, those of earlier processes included.
	Rows []RowData
	// Gate is the objective's label.
	Gate string
	// BestScore is nil when nothing was measured.
	BestScore *float64
}

// Finished follows Summary.
type Finished struct{}

// Kind is "summary".
func (Summary) Kind() string { return kindSummary }

// Kind is "finished".
func (Finished) Kind() string { return kindFinished }

func (e Summary) visit(f *fields) Event {
	list(f, "rows", &e.Rows, required, (*RowData).visit)
	f.text("gate", &e.Gate, required)
	f.numberOrNull("best_score", &e.BestScore, defaulted)
	return e
}

func (e Finished) visit(*fields) Event { return e }

// appendShorter writes the summary of a long run within MaxLine.
func (e Summary) appendShorter(dst []byte) ([]byte, error) {
	e.Rows = slices.Clone(e.Rows)
	for i := range e.Rows {
		e.Rows[i].Diff = ""
	}
	if line, err := appendEvent(dst, e); err == nil {
		return line, nil
	}
	for i := range e.Rows {
		r := &e.Rows[i]
		r.Detail, r.CandidateMD, r.Evidence = "", "", nil
	}
	return appendEvent(dst, e)
}
