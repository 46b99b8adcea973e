package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Unknown is a line of a kind that this engine does not know, from a newer one.
type Unknown struct {
	// Name is the line's kind.
	Name string
	// Line is the whole line; Encode writes it as it is, without white space.
	Line json.RawMessage
}

func newUnknown(kind string, line []byte) Unknown {
	return Unknown{Name: kind, Line: bytes.Clone(bytes.TrimSpace(line))}
}

// Kind is the kind that the line names.
func (e Unknown) Kind() string { return e.Name }

// visit has no fields to show; mapping texts keeps the order of the members by
// going through the line value by value.
func (e Unknown) visit(f *fields) Event {
	if f.mode == mapping {
		if line, err := mapLine(e.Line, f.change); err == nil {
			e.Line = line
		}
	}
	return e
}

func (e Unknown) append(dst []byte) ([]byte, error) {
	if _, err := parseObject(e.Line); err != nil {
		return dst, err
	}
	out := bytes.NewBuffer(dst)
	if err := json.Compact(out, e.Line); err != nil {
		return dst, fmt.Errorf("compact: %w", err)
	}
	return out.Bytes(), nil
}

// mapLine changes the texts of an object whose fields are not known. "kind" and
// "v" stay first and stay as they are.
func mapLine(line []byte, change func(string) string) ([]byte, error) {
	obj, err := parseObject(line)
	if err != nil {
		return nil, err
	}
	out := []byte{'{'}
	for i, m := range obj {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(appendString(out, string(m.name)), ':')
		if name := string(m.name); name == "v" || name == "kind" {
			out = append(out, m.value...)
			continue
		}
		if out, err = appendChecked(out, m.value, change); err != nil {
			return nil, err
		}
	}
	return append(out, '}'), nil
}
