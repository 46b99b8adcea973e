package diag

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// maxShown bounds how many diagnostics Error prints.
const maxShown = 100

// List is a set of diagnostics. As an error it prints one per line.
type List []Diagnostic

// Sort orders the list by file, line, column, key path and message, so that
// the same faults are always shown in the same order.
func (l List) Sort() {
	slices.SortStableFunc(l, func(a, b Diagnostic) int {
		return cmp.Or(
			cmp.Compare(a.File, b.File),
			cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Col, b.Col),
			cmp.Compare(a.Path, b.Path),
			cmp.Compare(a.Severity, b.Severity),
			cmp.Compare(a.Message, b.Message),
		)
	})
}

// Err is the list as an error, sorted, or nil when it holds no Error: warnings
// alone stop nothing. Callers get the list back with errors.As.
func (l List) Err() error {
	if !l.HasErrors() {
		return nil
	}
	l.Sort()
	return l
}

// HasErrors reports whether the list holds a diagnostic that stops the work.
func (l List) HasErrors() bool {
	return slices.ContainsFunc(l, func(d Diagnostic) bool { return d.Severity == Error })
}

// Warnings are the diagnostics that stop nothing, in the list's order.
func (l List) Warnings() List {
	var w List
	for _, d := range l {
		if d.Severity == Warning {
			w = append(w, d)
		}
	}
	return w
}

// Error prints one diagnostic per line, at most 100 and then their number.
func (l List) Error() string {
	if len(l) == 0 {
		return "no faults"
	}
	lines := make([]string, 0, min(len(l), maxShown+1))
	for i, d := range l {
		if i == maxShown {
			lines = append(lines, fmt.Sprintf("and %d more", len(l)-maxShown))
			break
		}
		lines = append(lines, d.String())
	}
	return strings.Join(lines, "\n")
}
