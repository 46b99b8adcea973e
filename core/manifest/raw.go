package manifest

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/crucible-engine/crucible/core/diag"
)

// Value is a value of the manifest whose keys another package knows, such as the
// table of a task. It keeps its place in the file, so that whoever decodes it can
// report faults as this package does. The zero Value is one that is not there.
type Value struct{ v value }

// Present reports whether the manifest holds the value.
func (r Value) Present() bool { return r.v.node != nil }

// Keys are the keys of a table in the order of the file; nil for another value.
func (r Value) Keys() []string {
	if !r.Present() {
		return nil
	}
	var out []string
	for _, e := range r.v.node.keys {
		out = append(out, e.name)
	}
	return out
}

// Get is the value of a table's key; one that is not there when there is none.
func (r Value) Get(key string) Value {
	if !r.Present() || !r.v.has(key) {
		return Value{}
	}
	return Value{r.v.at(key)}
}

// Items are the elements of an array; nil for another value.
func (r Value) Items() []Value {
	if !r.Present() {
		return nil
	}
	var out []Value
	for i := range r.v.node.items {
		out = append(out, Value{r.v.item(i)})
	}
	return out
}

// Any is the value without places: a string, bool, int64, float64, []any or
// map[string]any; nil for one that is not there.
func (r Value) Any() any {
	if !r.Present() {
		return nil
	}
	return r.v.node.plain()
}

// Fault is a fault at the value, with its key path. One that is not there has no
// place: say it at the table that lacks it.
func (r Value) Fault(hint, format string, args ...any) diag.Diagnostic {
	if !r.Present() {
		return diag.Diagnostic{Severity: diag.Error, Message: fmt.Sprintf(format, args...), Hint: hint}
	}
	return r.v.doc.diagnostic(diag.Error, r.v.node.at, r.v.path, hint, format, args...)
}

// KeyFault is a fault at the key of a value: that it is unknown, or lacks
// something.
func (r Value) KeyFault(hint, format string, args ...any) diag.Diagnostic {
	if !r.Present() {
		return r.Fault(hint, format, args...)
	}
	return r.v.doc.diagnostic(diag.Error, r.v.key, r.v.path, hint, format, args...)
}

// plain is the value of a node that raw has checked.
func (n *node) plain() any {
	switch n.kind {
	case kindTable:
		out := map[string]any{}
		for _, e := range n.keys {
			out[e.name] = e.value.plain()
		}
		return out
	case kindArray:
		out := make([]any, 0, len(n.items))
		for _, item := range n.items {
			out = append(out, item.plain())
		}
		return out
	case kindBool:
		return n.text == "true"
	case kindInteger:
		i, _ := n.integer()
		return i
	case kindFloat:
		f, _ := n.float()
		return f
	default:
		return n.text
	}
}

// raw checks a value that another package decodes for what no package could use,
// and reports whether there is nothing of the kind.
func raw(v value) bool {
	before := len(v.doc.list)
	switch v.node.kind {
	case kindTable:
		for _, e := range v.node.keys {
			raw(value{v.doc, join(v.path, e.name), e.value, e.at})
		}
	case kindArray:
		for i := range v.node.items {
			raw(v.item(i))
		}
	case kindString:
		v.text(MaxText)
	case kindInteger:
		if _, err := v.node.integer(); err != nil {
			v.fault("", "the number is too large")
		}
	case kindFloat:
		if _, err := v.node.float(); err != nil {
			v.fault("", "the number is too large")
		}
	case kindOther:
		v.fault("put it in quotes", "a date or a time has no use here")
	}
	return len(v.doc.list) == before
}

func (n *node) integer() (int64, error) {
	return strconv.ParseInt(strings.ReplaceAll(n.text, "_", ""), 0, 64)
}

func (n *node) float() (float64, error) {
	return strconv.ParseFloat(strings.ReplaceAll(n.text, "_", ""), 64)
}
