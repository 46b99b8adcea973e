package wire

const kindShutdown = "shutdown"

// How dispatch ended (C-WIRE). It does not say whether the run succeeded.
const (
	// OutcomeFinished: the iterations or the graph ran out of work.
	OutcomeFinished = "finished"
	// OutcomeSolved: a kept candidate met the win condition.
	OutcomeSolved = "solved"
	// OutcomeBudget: a cost or time cap was reached.
	OutcomeBudget = "budget"
	// OutcomeComplete: a task declared that no work is left.
	OutcomeComplete = "complete"
	// OutcomeStopped: somebody stopped the run.
	OutcomeStopped = "stopped"
	// OutcomeEscalated: the agent asked for help, or an approval was denied.
	OutcomeEscalated = "escalated"
	// OutcomeStalled: turns did not start several times in a row.
	OutcomeStalled = "stalled"
	// OutcomeError: the engine could not go on.
	OutcomeError = "error"
)

// Shutdown is the last line of every run, exactly once. A log without it means
// that the engine died.
type Shutdown struct {
	// Outcome is one of the constants above.
	Outcome string
	// Reason is a sentence; for OutcomeError the whole chain of causes.
	Reason string
}

// Kind is "shutdown".
func (Shutdown) Kind() string { return kindShutdown }

func (e Shutdown) visit(f *fields) Event {
	f.token("outcome", &e.Outcome, required)
	f.text("reason", &e.Reason, required)
	return e
}
