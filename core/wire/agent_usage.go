package wire

// Tokens is a sample of the tokens used so far in the turn.
type Tokens struct {
	Input, Output, CacheRead, CacheWrite, Total uint64
	// Rate is in tokens per second, nil when unknown.
	Rate *float64
	// CostUSD is in US dollars, nil when the agent does not say.
	CostUSD *float64
}

// Result is the agent's own word on how the turn ended.
type Result struct {
	Subtype string
	// IsError decides alone; a subtype may say success beside it.
	IsError bool
	Turns   int
	CostUSD float64
	// Error is empty when there is none.
	Error string
}

// OtelSummary is what telemetry counted over the turn.
type OtelSummary struct {
	CostUSD       float64
	Total         uint64
	Models        []ModelUsage
	APIRequests   uint64
	APIMs         uint64
	ActiveSeconds float64
}

// ModelUsage is one model's part of an OtelSummary.
type ModelUsage struct {
	Model                                string
	Input, Output, CacheRead, CacheWrite uint64
	CostUSD                              float64
}

// Kind is "tokens".
func (Tokens) Kind() string { return "tokens" }

// Kind is "result".
func (Result) Kind() string { return "result" }

// Kind is "otel_summary".
func (OtelSummary) Kind() string { return "otel_summary" }

func (e Tokens) visitAgent(f *fields) AgentEvent {
	f.size("input", &e.Input, defaulted)
	f.size("output", &e.Output, defaulted)
	f.size("cache_read", &e.CacheRead, defaulted)
	f.size("cache_write", &e.CacheWrite, defaulted)
	f.size("total", &e.Total, defaulted)
	f.numberOrNull("rate", &e.Rate, defaulted)
	f.numberOrNull("cost_usd", &e.CostUSD, defaulted)
	return e
}

func (e Result) visitAgent(f *fields) AgentEvent {
	f.label("subtype", &e.Subtype, defaulted)
	f.flag("is_error", &e.IsError, defaulted)
	f.count("turns", &e.Turns, defaulted)
	f.number("cost_usd", &e.CostUSD, defaulted)
	f.textOrNull("error", &e.Error)
	return e
}

func (e OtelSummary) visitAgent(f *fields) AgentEvent {
	f.number("cost_usd", &e.CostUSD, defaulted)
	f.size("total", &e.Total, defaulted)
	list(f, "models", &e.Models, defaulted, (*ModelUsage).visit)
	f.size("api_requests", &e.APIRequests, defaulted)
	f.size("api_ms", &e.APIMs, defaulted)
	f.number("active_seconds", &e.ActiveSeconds, defaulted)
	return e
}

func (m *ModelUsage) visit(f *fields) {
	f.label("model", &m.Model, defaulted)
	f.size("input", &m.Input, defaulted)
	f.size("output", &m.Output, defaulted)
	f.size("cache_read", &m.CacheRead, defaulted)
	f.size("cache_write", &m.CacheWrite, defaulted)
	f.number("cost_usd", &m.CostUSD, defaulted)
}
