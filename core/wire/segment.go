package wire

const kindSegment = "segment"

// RegimeDefault is the regime of a run that nobody re-scoped.
const RegimeDefault = "default"

// Segment opens a stretch of rows whose scores are comparable.
type Segment struct {
	// Fingerprint stands for goal, objective and regime.
	Fingerprint string
	// BaselineScore is nil when no baseline was measured.
	BaselineScore *float64
	Regime        string
}

// Kind is "segment".
func (Segment) Kind() string { return kindSegment }

func (e Segment) visit(f *fields) Event {
	f.token("fingerprint", &e.Fingerprint, required)
	f.numberOrNull("baseline_score", &e.BaselineScore, defaulted)
	f.text("regime", &e.Regime, required)
	return e
}
