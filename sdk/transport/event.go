package transport

import (
	"encoding/json"
	"fmt"
)

// Event is something that happened during a turn: Started, Output, Activity or
// Denied.
type Event interface{ isEvent() }

// Started is the first event of every turn. The SDK sends it when the
// implementation does not.
type Started struct {
	// Instance names the process or sandbox, for people.
	Instance       string
	HarnessVersion string
	Model          string
}

// Stream tells the two outputs of a process apart.
type Stream int

// The streams.
const (
	StreamUnspecified Stream = iota
	Stdout
	Stderr
)

// String is the stream's token in the session log.
func (s Stream) String() string {
	if s == Stderr {
		return "stderr"
	}
	return "stdout"
}

// Output is one line that the agent printed.
type Output struct {
	Stream Stream
	// Line is without its newline, at most contract.MaxLine bytes.
	Line []byte
	// Truncated: the line was longer.
	Truncated bool
}

// Activity is one normalised event of the agent: the kinds are those of the
// session log's agent events.
type Activity struct {
	Kind string
	// JSON is one object without the kind.
	JSON json.RawMessage
}

// Denied says that the sandbox refused a connection.
type Denied struct {
	Host   string
	Port   uint16
	Binary string
}

func (Started) isEvent()  {}
func (Output) isEvent()   {}
func (Activity) isEvent() {}
func (Denied) isEvent()   {}

// Outcome says how a turn ended.
type Outcome int

// The outcomes. The zero value is an error in a Result.
const (
	OutcomeUnspecified Outcome = iota
	OutcomeCompleted
	// OutcomeFailed: the agent ran and failed. It is not tried again.
	OutcomeFailed
)

// String is the outcome in lower case.
func (o Outcome) String() string {
	switch o {
	case OutcomeCompleted:
		return "completed"
	case OutcomeFailed:
		return "failed"
	default:
		return "unspecified"
	}
}

// CostSource says where Result.CostUSD comes from.
type CostSource int

// The sources.
const (
	CostUnspecified CostSource = iota
	CostReported
	CostEstimated
	CostFree
)

// Result is how a turn ended.
type Result struct {
	Outcome  Outcome
	ExitCode int
	// Note is one line for people, empty when there is nothing to say.
	Note string
	// CostUSD is in US dollars, finite and not negative.
	CostUSD    float64
	CostSource CostSource
	Usage      []Usage
	// Cursor goes into the next turn of the session; at most contract.MaxCursor bytes.
	Cursor []byte
	// WorkspaceSynced: the workspace holds everything the agent wrote.
	WorkspaceSynced bool
}

// String leaves out the cursor.
func (r Result) String() string {
	return fmt.Sprintf("%s, exit %d, %g USD: %s", r.Outcome, r.ExitCode, r.CostUSD, r.Note)
}

// Format keeps %+v and %#v from showing the cursor.
func (r Result) Format(f fmt.State, _ rune) { fmt.Fprint(f, r.String()) }

// MarshalText does the same for a logger that writes JSON. There is no way back.
func (r Result) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// Usage counts the tokens of one model.
type Usage struct {
	Model                                string
	Input, Output, CacheRead, CacheWrite uint64
}
