package wire

const kindEscalation = "escalation"

// Escalation says that the agent left a well-formed escalation marker and the
// run is about to end.
type Escalation struct {
	// Category is the agent's own word.
	Category string
	Reason   string
	// Evidence is free text, empty when the agent gave none.
	Evidence string
}

// Kind is "escalation".
func (Escalation) Kind() string { return kindEscalation }

func (e Escalation) visit(f *fields) Event {
	f.text("category", &e.Category, required)
	f.text("reason", &e.Reason, required)
	f.text("evidence", &e.Evidence, defaulted)
	return e
}
