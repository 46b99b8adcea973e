package diag

import (
	"strconv"
	"strings"
)

// Severity says whether a diagnostic stops the work.
type Severity int

// The severities. The zero value is Error, so that a fault nobody classified
// stops the work.
const (
	Error Severity = iota
	Warning
)

// String is the severity in lower case, as it is printed.
func (s Severity) String() string {
	if s == Warning {
		return "warning"
	}
	return "error"
}

// Diagnostic is one fault of one file.
type Diagnostic struct {
	Severity Severity
	// File is the file's name as the person gave it. Empty when the fault is not in a file.
	File string
	// Line and Col count from 1, columns in characters. Zero means the whole file.
	Line, Col int
	// Path is the dotted key path ("agent.env.TOKEN"). May be empty.
	Path string
	// Message says what is wrong, in lower case, without a full stop.
	Message string
	// Hint says what to do about it. May be empty.
	Hint string
}

// String is the one line that is shown to people:
//
//	file:line:col: path: message; hint
//
// with "warning: " before the message of a warning. Parts that are empty are
// left out. Control characters, invalid UTF-8 and characters that change the
// direction of text are escaped, and each part is cut at its limit, because
// parts may quote text from an untrusted file.
func (d Diagnostic) String() string {
	var b strings.Builder
	if d.File != "" {
		b.WriteString(Clean(d.File, maxFile))
		if d.Line > 0 {
			b.WriteString(":" + strconv.Itoa(d.Line) + ":" + strconv.Itoa(max(d.Col, 1)))
		}
		b.WriteString(": ")
	}
	if d.Severity == Warning {
		b.WriteString("warning: ")
	}
	if d.Path != "" {
		b.WriteString(Clean(d.Path, maxPath) + ": ")
	}
	b.WriteString(Clean(d.Message, maxMessage))
	if d.Hint != "" {
		b.WriteString("; " + Clean(d.Hint, maxMessage))
	}
	return b.String()
}
