package wire

import "fmt"

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
