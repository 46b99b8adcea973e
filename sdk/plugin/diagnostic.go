package plugin

import "github.com/crucible-engine/crucible/sdk/contract"

// Severity says what a diagnostic means for the run.
type Severity int

// The severities. SeverityUnspecified comes from a newer peer and is to be read
// as SeverityError.
const (
	SeverityUnspecified Severity = iota
	SeverityError
	SeverityWarning
	SeverityInfo
)

// String is the severity in lower case.
func (s Severity) String() string {
	switch s {
	case SeverityWarning:
		return "warning"
	case SeverityInfo:
		return "info"
	default:
		return "error"
	}
}

// Diagnostic is one finding about settings or about the machine.
type Diagnostic struct {
	Severity Severity
	// Path is the key path within the settings, empty when it concerns no key.
	Path string
	// Message says what was found. It never contains a secret.
	Message string
	// Hint says what to do about it; may be empty.
	Hint string
}

// Err is the first error among the diagnostics as a contract.Error of kind
// KindInvalid with the key path as subject; nil when there is none.
func Err(diagnostics []Diagnostic) error {
	for _, d := range diagnostics {
		if d.Severity.String() != "error" {
			continue
		}
		message := d.Message
		if d.Hint != "" {
			message += "; " + d.Hint
		}
		return &contract.Error{Kind: contract.KindInvalid, Op: "read settings", Subject: d.Path, Message: message}
	}
	return nil
}
