package wire

const kindRow = "row"

// The decisions of a row. A reader accepts any other text as well.
const (
	// DecisionBaseline is the first valid measurement, iteration 0.
	DecisionBaseline = "baseline"
	// DecisionBaselineSkipped replaces it when there is nothing to measure.
	DecisionBaselineSkipped = "baseline-skipped"
	// DecisionKeep and DecisionDiscard are the verdict on a measured candidate.
	DecisionKeep    = "keep"
	DecisionDiscard = "discard"
	// DecisionDiscarded is a candidate that was never measured: its turn or its
	// apply step failed.
	DecisionDiscarded = "discarded"
	// DecisionInfraDead is a turn that never started; the iteration is not used up.
	DecisionInfraDead = "infra-dead"
)

// The phases of a row that belongs to no ordinary iteration.
const (
	RowPhaseInfra    = "infra"
	RowPhaseWide     = "wide"
	RowPhaseEpilogue = "epilogue"
)

// Row is one line of the run's table.
type Row struct {
	Row RowData
	// Solved: the candidate was kept and met the win condition.
	Solved bool
}

// RowData is what is known of one candidate.
type RowData struct {
	// Iter is the iteration, 0 for the baseline.
	Iter int
	// Decision is one of the constants above.
	Decision string
	// Note is one line, see FoldNote.
	Note string
	// Detail is the reading's detail as compact JSON, empty when there is none.
	Detail string
	// Diff is the candidate's change, see CutDiff.
	Diff string
	// Diffstat is one line that counts it.
	Diffstat string
	// Score is nil when nothing was measured.
	Score *float64
	// Tiebreak is nil when the reading has none.
	Tiebreak *float64
	// Total is the reading's detail.total, nil when it has none.
	Total *uint64
	// Phase is empty for an ordinary iteration.
	Phase string
	// KeptSnap is the world's token of a kept state, opaque; empty otherwise.
	KeptSnap string
	// Evidence is what tasks of the iteration said about the candidate.
	Evidence []Evidence
	// CandidateMD is the candidate's own description, whole.
	CandidateMD string
}

// Evidence is what one task said about a candidate.
type Evidence struct {
	Task string
	// Disposition is "passed", "failed" or "skipped".
	Disposition string
	Note        string
}

// Kind is "row".
func (Row) Kind() string { return kindRow }

func (e Row) visit(f *fields) Event {
	f.object("row", required, e.Row.visit)
	f.flag("solved", &e.Solved, required)
	return e
}

func (r *RowData) visit(f *fields) {
	f.count("iter", &r.Iter, required)
	f.token("decision", &r.Decision, required)
	f.text("note", &r.Note, required)
	f.text("detail", &r.Detail, required)
	f.text("diff", &r.Diff, defaulted)
	f.text("diffstat", &r.Diffstat, defaulted)
	f.numberOrNull("score", &r.Score, defaulted)
	f.numberOrNull("tiebreak", &r.Tiebreak, optional)
	f.sizeOrNull("total", &r.Total, defaulted)
	f.token("phase", &r.Phase, optional)
	f.token("kept_snap", &r.KeptSnap, optional)
	list(f, "evidence", &r.Evidence, optional, (*Evidence).visit)
	f.text("candidate_md", &r.CandidateMD, optional)
}

func (v *Evidence) visit(f *fields) {
	f.text("task", &v.Task, required)
	f.token("disposition", &v.Disposition, required)
	f.text("note", &v.Note, optional)
}
