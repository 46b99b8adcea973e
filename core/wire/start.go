package wire

const kindStart = "start"

// Start is the first line of a fresh run. A resumed run has none.
type Start struct {
	// Goal is the goal without surrounding white space.
	Goal string
	// Gate is the objective's label, "task" without a judge. The member is
	// "gate" for good (C-WIRE).
	Gate string
	// Model is the agent's model.
	Model string
	// Namespace is where the run takes place, empty on a local machine.
	Namespace string
	// ItersTotal is the number of iterations asked for.
	ItersTotal int
	// MaxCost is the cost cap in US dollars, 0 for none.
	MaxCost float64
	// MaxSecs is the time cap in seconds, 0 for none.
	MaxSecs uint64
}

// Kind is "start".
func (Start) Kind() string { return kindStart }

func (e Start) visit(f *fields) Event {
	f.text("goal", &e.Goal, required)
	f.text("gate", &e.Gate, required)
	f.text("model", &e.Model, required)
	f.text("namespace", &e.Namespace, required)
	f.count("iters_total", &e.ItersTotal, required)
	f.number("max_cost", &e.MaxCost, required)
	f.size("max_secs", &e.MaxSecs, required)
	return e
}
