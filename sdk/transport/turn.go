package transport

import "fmt"

// Turn is one request to an agent, with everything resolved.
type Turn struct {
	// RunID and TurnID identify the turn; a repeat after a lost reply has the same ones.
	RunID, TurnID string
	// Task names the task that the turn belongs to.
	Task string
	// Workspace is an absolute path on this machine.
	Workspace string
	// Prompt is at most contract.MaxPrompt bytes. It is never logged.
	Prompt  string
	Harness Harness
	// Env is the agent's whole environment, in order; the last of a name wins.
	Env []EnvVar
	// Session is nil for a turn without a persistent conversation.
	Session *Session
	Egress  Egress
	Relays  []Relay
	// Broker is nil when none runs.
	Broker *Broker
	// Command is the shell command of a transport that runs one.
	Command string
	// Options is one JSON object of settings of this transport, nil for none.
	Options []byte
	// Traceparent is a W3C trace context, empty when there is none.
	Traceparent string
}

// String leaves out the prompt, the environment, the cursor and the bearer.
func (t Turn) String() string {
	return fmt.Sprintf("turn %s task %s in %s (prompt of %d bytes)", t.TurnID, t.Task, t.Workspace, len(t.Prompt))
}

// Format keeps %+v and %#v from reaching what String leaves out.
func (t Turn) Format(f fmt.State, _ rune) { fmt.Fprint(f, t.String()) }

// MarshalText does the same for a logger that writes JSON. There is no way back.
func (t Turn) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// Harness selects the agent CLI. A transport without one ignores it.
type Harness struct {
	Name, Model string
	// Effort is low, medium, high, xhigh, max, or empty for the harness's default.
	Effort string
}

// EnvVar is one variable of the agent's environment.
type EnvVar struct {
	Name, Value string
	// Secret values are never shown.
	Secret bool
}

// String shows the name only.
func (e EnvVar) String() string { return e.Name + "=…" }

// Format keeps %+v and %#v from showing the value.
func (e EnvVar) Format(f fmt.State, _ rune) { fmt.Fprint(f, e.String()) }

// MarshalText does the same for a logger that writes JSON. There is no way back.
func (e EnvVar) MarshalText() ([]byte, error) { return []byte(e.String()), nil }

// SessionAction says whether a conversation starts or goes on.
type SessionAction int

// The actions. The zero value is an error where a session is given.
const (
	SessionUnspecified SessionAction = iota
	SessionStart
	SessionResume
)

// String is the action's token on the wire and in the environment of a command.
func (a SessionAction) String() string {
	switch a {
	case SessionStart:
		return "start"
	case SessionResume:
		return "resume"
	default:
		return "unspecified"
	}
}

// Session binds a turn to a logical conversation.
type Session struct {
	Name   string
	Action SessionAction
	// Cursor is what the turn before returned; opaque to the engine.
	Cursor []byte
	// Turn counts from 1.
	Turn uint32
}

// String leaves out the cursor.
func (s Session) String() string {
	return fmt.Sprintf("session %s %s turn %d", s.Name, s.Action, s.Turn)
}

// Format keeps %+v and %#v from showing the cursor.
func (s Session) Format(f fmt.State, _ rune) { fmt.Fprint(f, s.String()) }

// MarshalText does the same for a logger that writes JSON. There is no way back.
func (s Session) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Egress is the resolved list of what a sandbox may reach.
type Egress struct {
	// Endpoints are host:port:access entries.
	Endpoints []string
	// Binaries are the programs that may open a socket.
	Binaries []string
	Deny     []string
}

// Relay is a host file that appears inside the sandbox.
type Relay struct {
	Source, Target string
	// Mode holds permission bits.
	Mode uint32
}

// Broker is where the agent asks for bounded outputs.
type Broker struct {
	URL    string
	Bearer string
}

// String leaves out the bearer.
func (b Broker) String() string { return "broker " + b.URL }

// Format keeps %+v and %#v from showing the bearer.
func (b Broker) Format(f fmt.State, _ rune) { fmt.Fprint(f, b.String()) }

// MarshalText does the same for a logger that writes JSON. There is no way back.
func (b Broker) MarshalText() ([]byte, error) { return []byte(b.String()), nil }
