package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// ErrUnknownAgentKind is the cause when an agent event's kind is not one of this
// package's. The text is then shown as a Raw event.
var ErrUnknownAgentKind = errors.New("unknown kind of agent event")

// AgentEvent is something an agent did during a turn: Meta, Log, Gate, Init,
// Thinking, Text, Tool, Tokens, Retry, Error, Result, OtelSummary, Exit,
// SandboxLog, Raw, or AgentUnknown.
type AgentEvent interface {
	// Kind is the nested "kind".
	Kind() string
	visitAgent(f *fields) AgentEvent
}

// AgentOptions says what to keep of an agent's events.
type AgentOptions struct {
	// ToolIO keeps the input and the result of tools, cut to 2048 bytes each. It
	// is off unless CRUCIBLE_SESSION_TOOL_IO is "full".
	ToolIO bool
}

// DecodeAgentEvent reads an agent event from a source that is not trusted. kind
// is one of the kinds of this package; data is a JSON object that may repeat the
// kind and "v". All fields have defaults, texts are cut to their bounds (1 MiB,
// names 1 KiB), a member of the wrong type is an error.
func DecodeAgentEvent(kind string, data []byte, opts AgentOptions) (AgentEvent, error) {
	e := zeroAgent(kind)
	if e == nil {
		return nil, fmt.Errorf("decode agent event %q: %w", Cut(kind, 64), ErrUnknownAgentKind)
	}
	obj, err := parseObject(data)
	if err != nil {
		return nil, fmt.Errorf("decode agent event %s: %w", kind, err)
	}
	f := fields{mode: reading, obj: obj, bounded: true}
	e = e.visitAgent(&f)
	if f.err != nil {
		return nil, fmt.Errorf("decode agent event %s: %w", kind, f.err)
	}
	if t, ok := e.(Tool); ok {
		e = t.keep(opts.ToolIO)
	}
	return e, nil
}

// AgentUnknown is an agent event in a log of a newer engine. DecodeAgentEvent
// never gives one.
type AgentUnknown struct {
	Name string
	// JSON is the whole object with its kind.
	JSON json.RawMessage
}

// Kind is the kind that the event names.
func (e AgentUnknown) Kind() string { return e.Name }

func (e AgentUnknown) visitAgent(f *fields) AgentEvent {
	if f.mode == mapping {
		if line, err := mapLine(e.JSON, f.change); err == nil {
			e.JSON = line
		}
	}
	return e
}

// agent is the member that holds an agent event.
func (f *fields) agent(name string, e *AgentEvent) {
	switch f.mode {
	case writing:
		f.key(name)
		f.writeAgent(name, *e)
	case reading:
		if raw := f.value(name, required); raw != nil {
			f.within(name, raw, func(f *fields) { *e = f.readAgent(raw) })
		}
	case mapping:
		if *e != nil {
			*e = (*e).visitAgent(f)
		}
	}
}

func (f *fields) writeAgent(name string, e AgentEvent) {
	switch e := e.(type) {
	case nil:
		f.fail(name, "is missing")
	case AgentUnknown:
		line, err := Unknown{Line: e.JSON}.append(nil)
		if err != nil {
			f.fail(name, err.Error())
		}
		f.buf = append(f.buf, line...)
	default:
		f.buf = append(f.buf, `{"kind":`...)
		f.buf = appendString(f.buf, e.Kind())
		f.more = true
		e.visitAgent(f)
		f.buf = append(f.buf, '}')
		f.more = true
	}
}

func (f *fields) readAgent(raw []byte) AgentEvent {
	var kind string
	f.token("kind", &kind, required)
	if f.err != nil {
		return nil
	}
	if e := zeroAgent(kind); e != nil {
		return e.visitAgent(f)
	}
	return AgentUnknown{Name: kind, JSON: bytes.Clone(raw)}
}
