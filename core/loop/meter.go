package loop

import (
	"github.com/crucible-engine/crucible/core/wire"
	"github.com/crucible-engine/crucible/sdk/transport"
)

// meter records the events of one turn and counts what it costs.
type meter struct {
	run *run
	// stop ends the turn.
	stop func()
	// cost is the highest figure the agent has reported, in US dollars.
	cost float64
	// capped: the cost cap has been noted.
	capped bool
	// err is a fault of the recorder; the turn is then stopped.
	err error
}

// event is passed to the transport, which calls it with one event at a time.
func (m *meter) event(e transport.Event) error {
	if err := m.record(e); err != nil {
		m.err = err
		m.stop()
		return err
	}
	return nil
}

func (m *meter) record(e transport.Event) error {
	event, ok := agentEvent(e, m.run.cfg.ToolIO)
	if !ok {
		return nil
	}
	if usd, ok := wire.CostOf(event); ok && usd > m.cost {
		m.cost = usd
	}
	if _, ok := event.(wire.Tokens); ok {
		if err := m.run.recordBudget(m.run.spent + m.cost); err != nil {
			return err
		}
	}
	if err := m.run.deps.Recorder.Record(wire.Agent{Event: event}); err != nil {
		return err
	}
	limit := m.run.cfg.MaxCost
	if limit > 0 && m.run.spent+m.cost >= limit && !m.capped {
		m.capped = true
		m.stop()
		return m.run.note("cost limit reached during the turn; stopping it")
	}
	return nil
}

// agentEvent is the line that the session log gets for a transport's event;
// false when it gets none.
func agentEvent(e transport.Event, toolIO bool) (wire.AgentEvent, bool) {
	switch e := e.(type) {
	case transport.Output:
		return wire.Raw{Text: string(uncut(e)), Stream: e.Stream.String()}, true
	case transport.Activity:
		event, err := wire.DecodeAgentEvent(e.Kind, e.JSON, wire.AgentOptions{ToolIO: toolIO})
		if err != nil {
			return wire.Raw{Text: string(e.JSON), Stream: wire.Stdout}, true
		}
		return event, true
	case transport.Denied:
		return wire.Log{Level: "warn", Label: "egress denied", Value: deniedText(e)}, true
	default:
		return nil, false
	}
}

// uncut is a line without its end when that was cut off: a secret may have been
// cut in two there, and half of one is not masked.
func uncut(e transport.Output) []byte {
	const margin = 4 << 10
	if !e.Truncated {
		return e.Line
	}
	keep := max(0, len(e.Line)-margin)
	return append(e.Line[:keep:keep], " [cut]"...)
}
