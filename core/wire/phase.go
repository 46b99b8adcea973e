package wire

const kindPhase = "phase"

// The phases of a run. A reader accepts any other text as well.
const (
	PhaseStarting  = "starting"
	PhaseBaseline  = "baseline"
	PhaseWide      = "wide"
	PhaseIteration = "iteration"
	PhasePaused    = "paused"
	PhaseParked    = "parked"
	PhaseEscalated = "escalated"
	PhaseEpilogue  = "epilogue"
	PhaseFinished  = "finished"
)

// Phase says that the run went on to another phase, or to another iteration.
type Phase struct {
	// Phase is one of the constants above.
	Phase string
	// Iter is the iteration the run is on, 0 before the first.
	Iter int
}

// Kind is "phase".
func (Phase) Kind() string { return kindPhase }

func (e Phase) visit(f *fields) Event {
	f.token("phase", &e.Phase, required)
	f.count("iter", &e.Iter, defaulted)
	return e
}
