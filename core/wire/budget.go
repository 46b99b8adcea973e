package wire

const kindBudget = "budget"

// Budget says what the run has used up. It is written after every turn and,
// provisionally, before each Tokens event within one.
type Budget struct {
	// Spent is the cost of the whole run in US dollars, earlier processes included.
	Spent float64
	// ElapsedSecs is the time since this process started.
	ElapsedSecs uint64
}

// Kind is "budget".
func (Budget) Kind() string { return kindBudget }

func (e Budget) visit(f *fields) Event {
	f.number("spent", &e.Spent, required)
	f.size("elapsed_secs", &e.ElapsedSecs, required)
	return e
}
