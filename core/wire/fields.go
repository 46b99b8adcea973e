package wire

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
)

// mode is what a pass over the fields does.
type mode uint8

const (
	writing mode = iota
	reading
	mapping
)

// rule says what happens to a field that is missing.
type rule uint8

const (
	// required: always written, an error when missing on read.
	required rule = iota
	// defaulted: always written, the zero value when missing on read.
	defaulted
	// optional: written only when it is not the zero value.
	optional
)

// fields is one pass over the fields of an event. Every kind names its fields
// once, in visit, and the same list writes, reads and maps it, so the three
// cannot drift apart. The first fault is kept in err and ends the work.
type fields struct {
	mode mode
	err  error

	buf  []byte // writing: the line so far
	more bool   // writing: a member was written, a comma is due

	obj     object // reading: the object whose members are read
	bounded bool   // reading: text comes from an agent and is cut to its bounds

	change func(string) string // mapping
}

// key starts a member.
func (f *fields) key(name string) {
	if f.more {
		f.buf = append(f.buf, ',')
	}
	f.more = true
	f.buf = append(f.buf, '"')
	f.buf = append(f.buf, name...)
	f.buf = append(f.buf, '"', ':')
}

// value finds a member to read. A missing or null member that is not required is
// nil and leaves the zero value.
func (f *fields) value(name string, r rule) []byte {
	if f.err != nil {
		return nil
	}
	raw := f.obj.find(name)
	if raw == nil && r == required {
		f.fail(name, "is missing")
	}
	if raw != nil && raw[0] == 'n' {
		if r == required && !f.bounded {
			f.fail(name, "is null")
		}
		return nil
	}
	return raw
}

func (f *fields) fail(name, what string) {
	if f.err == nil {
		f.err = fmt.Errorf("%q %s", name, what)
	}
}

// token is a string that means something to a program: it is never masked.
func (f *fields) token(name string, s *string, r rule) {
	switch f.mode {
	case writing:
		if *s == "" && r == optional {
			return
		}
		f.key(name)
		f.buf = appendString(f.buf, *s)
	case reading:
		f.readString(name, s, r, maxLabel)
	case mapping:
	}
}

// label is a short text.
func (f *fields) label(name string, s *string, r rule) { f.anyString(name, s, r, maxLabel) }

// text is what a person, an agent or a command wrote.
func (f *fields) text(name string, s *string, r rule) { f.anyString(name, s, r, maxText) }

func (f *fields) anyString(name string, s *string, r rule, limit int) {
	switch f.mode {
	case writing:
		if *s == "" && r == optional {
			return
		}
		f.key(name)
		f.buf = appendString(f.buf, *s)
	case reading:
		f.readString(name, s, r, limit)
	case mapping:
		*s = f.change(*s)
	}
}

// textOrNull is a text whose empty value is written as null.
func (f *fields) textOrNull(name string, s *string) {
	if f.mode == writing && *s == "" {
		f.key(name)
		f.buf = append(f.buf, "null"...)
		return
	}
	f.anyString(name, s, defaulted, maxText)
}

func (f *fields) readString(name string, s *string, r rule, limit int) {
	raw := f.value(name, r)
	if raw == nil {
		return
	}
	text, ok := unquote(raw)
	if !ok {
		f.fail(name, "is not a string")
		return
	}
	if f.bounded {
		text = Cut(text, limit)
	}
	*s = text
}

// count is a number from 0 to 2^32-1.
func (f *fields) count(name string, n *int, r rule) {
	switch f.mode {
	case writing:
		if *n < 0 || *n > math.MaxUint32 {
			f.fail(name, fmt.Sprintf("is %d, want 0 to 2^32-1", *n))
		}
		f.key(name)
		f.buf = appendInt(f.buf, int64(*n))
	case reading:
		var u uint64
		f.readUint(name, &u, r, math.MaxUint32)
		*n = int(u)
	case mapping:
	}
}

// integer is a number from -2^31 to 2^31-1.
func (f *fields) integer(name string, n *int, r rule) {
	switch f.mode {
	case writing:
		f.key(name)
		f.buf = appendInt(f.buf, int64(*n))
	case reading:
		if raw := f.value(name, r); raw != nil {
			i, ok := parseInt(raw)
			if !ok {
				f.fail(name, "is not a whole number of 32 bits")
			}
			*n = int(i)
		}
	case mapping:
	}
}

// size is a number from 0 to 2^64-1.
func (f *fields) size(name string, n *uint64, r rule) {
	switch f.mode {
	case writing:
		f.key(name)
		f.buf = appendUint(f.buf, *n)
	case reading:
		f.readUint(name, n, r, math.MaxUint64)
	case mapping:
	}
}

// sizeOrNull is a size that may be unknown: null, or left out when optional.
func (f *fields) sizeOrNull(name string, n **uint64, r rule) {
	switch f.mode {
	case writing:
		if *n == nil && r == optional {
			return
		}
		f.key(name)
		if *n == nil {
			f.buf = append(f.buf, "null"...)
			return
		}
		f.buf = appendUint(f.buf, **n)
	case reading:
		if f.value(name, r) != nil {
			u := new(uint64)
			f.readUint(name, u, r, math.MaxUint64)
			*n = u
		}
	case mapping:
	}
}

func (f *fields) readUint(name string, n *uint64, r rule, limit uint64) {
	raw := f.value(name, r)
	if raw == nil {
		return
	}
	u, ok := parseUint(raw)
	if !ok || u > limit {
		f.fail(name, fmt.Sprintf("is not a whole number from 0 to %d", limit))
		return
	}
	*n = u
}

// number is a floating point number.
func (f *fields) number(name string, x *float64, r rule) {
	switch f.mode {
	case writing:
		f.key(name)
		f.buf = appendFloat(f.buf, *x)
	case reading:
		f.readFloat(name, x, r)
	case mapping:
	}
}

// numberOrNull is a number that may be unknown: null, or left out when optional.
func (f *fields) numberOrNull(name string, x **float64, r rule) {
	switch f.mode {
	case writing:
		if *x == nil && r == optional {
			return
		}
		f.key(name)
		if *x == nil {
			f.buf = append(f.buf, "null"...)
			return
		}
		f.buf = appendFloat(f.buf, **x)
	case reading:
		if f.value(name, r) != nil {
			v := new(float64)
			f.readFloat(name, v, r)
			*x = v
		}
	case mapping:
	}
}

func (f *fields) readFloat(name string, x *float64, r rule) {
	raw := f.value(name, r)
	if raw == nil {
		return
	}
	v, ok := parseFloat(raw)
	if !ok {
		f.fail(name, "is not a finite number")
		return
	}
	*x = v
}

// flag is true or false.
func (f *fields) flag(name string, b *bool, r rule) {
	switch f.mode {
	case writing:
		f.key(name)
		if *b {
			f.buf = append(f.buf, "true"...)
		} else {
			f.buf = append(f.buf, "false"...)
		}
	case reading:
		raw := f.value(name, r)
		switch {
		case raw == nil:
		case raw[0] == 't':
			*b = true
		case raw[0] == 'f':
			*b = false
		default:
			f.fail(name, "is neither true nor false")
		}
	case mapping:
	}
}

// free is JSON of any form; it is written with its keys sorted.
func (f *fields) free(name string, v *json.RawMessage, r rule) {
	switch f.mode {
	case writing:
		if len(*v) == 0 && r == optional {
			return
		}
		f.key(name)
		if len(*v) == 0 {
			f.buf = append(f.buf, "null"...)
			return
		}
		var err error
		if f.buf, err = appendFree(f.buf, *v, nil); err != nil {
			f.fail(name, err.Error())
		}
	case reading:
		raw := f.value(name, r)
		if f.bounded && len(raw) > maxFree {
			f.fail(name, fmt.Sprintf("is over %d bytes", maxFree))
			return
		}
		if raw != nil {
			*v = slices.Clone(raw)
		}
	case mapping:
		if len(*v) == 0 {
			return
		}
		if out, err := appendFree(nil, *v, f.change); err == nil {
			*v = out
		}
	}
}

// object is a member with fields of its own.
func (f *fields) object(name string, r rule, visit func(*fields)) {
	switch f.mode {
	case writing:
		f.key(name)
		f.braces(visit)
	case reading:
		raw := f.value(name, r)
		if raw == nil {
			return
		}
		f.within(name, raw, visit)
	case mapping:
		visit(f)
	}
}

func (f *fields) braces(visit func(*fields)) {
	f.buf = append(f.buf, '{')
	f.more = false
	visit(f)
	f.buf = append(f.buf, '}')
	f.more = true
}

// within reads the fields of a nested object.
func (f *fields) within(name string, raw []byte, visit func(*fields)) {
	outer := f.obj
	obj, err := splitObject(raw)
	if err != nil {
		f.fail(name, err.Error())
		return
	}
	f.obj = obj
	visit(f)
	f.obj = outer
}

// list is an array of objects with fields.
func list[T any](f *fields, name string, items *[]T, r rule, visit func(*T, *fields)) {
	switch f.mode {
	case writing:
		if len(*items) == 0 && r == optional {
			return
		}
		f.key(name)
		f.buf = append(f.buf, '[')
		for i := range *items {
			if i > 0 {
				f.buf = append(f.buf, ',')
			}
			f.braces(func(f *fields) { visit(&(*items)[i], f) })
		}
		f.buf = append(f.buf, ']')
	case reading:
		raw := f.value(name, r)
		if raw == nil {
			return
		}
		spans, err := splitArray(raw)
		if err == nil && f.bounded && len(spans) > maxAgentItems {
			err = fmt.Errorf("has over %d items", maxAgentItems)
		}
		if err != nil {
			f.fail(name, err.Error())
			return
		}
		out := make([]T, len(spans))
		for i, span := range spans {
			f.within(name, span, func(f *fields) { visit(&out[i], f) })
			if f.err != nil {
				return
			}
		}
		*items = out
	case mapping:
		*items = slices.Clone(*items)
		for i := range *items {
			visit(&(*items)[i], f)
		}
	}
}
