package wire

import "encoding/json"

// Meta names the model before anything else is known.
type Meta struct{ Model string }

// Log is a labelled remark of the agent's driver.
type Log struct {
	Level, Label string
	// Value is empty when there is none.
	Value string
}

// Gate is a check that the agent's driver made.
type Gate struct {
	Phase, Name, Status string
	// Error is empty when there is none.
	Error string
}

// Init says with what the agent started.
type Init struct {
	Model string
	// Tools and Agents count what is at hand.
	Tools, Agents int
}

// Retry says that the agent repeats a request.
type Retry struct {
	Attempt, Max int
	Error        string
}

// Error is a fault that the agent reported.
type Error struct {
	ErrorType, Message string
}

// Exit is how the agent's process ended.
type Exit struct{ Code int }

// SandboxLog is a line of the sandbox that the agent runs in.
type SandboxLog struct {
	// TsMs is the time in milliseconds since 1970.
	TsMs                   uint64
	Level, Target, Message string
	// Denial: the sandbox refused something.
	Denial bool
	// Fields is free-form JSON, empty when there is none.
	Fields json.RawMessage
}

// Kind is "meta".
func (Meta) Kind() string { return "meta" }

// Kind is "log".
func (Log) Kind() string { return "log" }

// Kind is "gate".
func (Gate) Kind() string { return "gate" }

// Kind is "init".
func (Init) Kind() string { return "init" }

// Kind is "retry".
func (Retry) Kind() string { return "retry" }

// Kind is "error".
func (Error) Kind() string { return "error" }

// Kind is "exit".
func (Exit) Kind() string { return "exit" }

// Kind is "sandbox_log".
func (SandboxLog) Kind() string { return "sandbox_log" }

func (e Meta) visitAgent(f *fields) AgentEvent {
	f.label("model", &e.Model, defaulted)
	return e
}

func (e Log) visitAgent(f *fields) AgentEvent {
	f.label("level", &e.Level, defaulted)
	f.label("label", &e.Label, defaulted)
	f.textOrNull("value", &e.Value)
	return e
}

func (e Gate) visitAgent(f *fields) AgentEvent {
	f.label("phase", &e.Phase, defaulted)
	f.label("name", &e.Name, defaulted)
	f.label("status", &e.Status, defaulted)
	f.textOrNull("error", &e.Error)
	return e
}

func (e Init) visitAgent(f *fields) AgentEvent {
	f.label("model", &e.Model, defaulted)
	f.count("tools", &e.Tools, defaulted)
	f.count("agents", &e.Agents, defaulted)
	return e
}

func (e Retry) visitAgent(f *fields) AgentEvent {
	f.count("attempt", &e.Attempt, defaulted)
	f.count("max", &e.Max, defaulted)
	f.text("error", &e.Error, defaulted)
	return e
}

func (e Error) visitAgent(f *fields) AgentEvent {
	f.label("error_type", &e.ErrorType, defaulted)
	f.text("message", &e.Message, defaulted)
	return e
}

func (e Exit) visitAgent(f *fields) AgentEvent {
	f.integer("code", &e.Code, defaulted)
	return e
}

func (e SandboxLog) visitAgent(f *fields) AgentEvent {
	f.size("ts_ms", &e.TsMs, defaulted)
	f.label("level", &e.Level, defaulted)
	f.label("target", &e.Target, defaulted)
	f.text("message", &e.Message, defaulted)
	f.flag("denial", &e.Denial, defaulted)
	f.free("fields", &e.Fields, optional)
	return e
}
