package report

import (
	"fmt"
	"strings"
	"time"

	"github.com/crucible-engine/crucible/core/wire"
)

// class is what a line is about; it chooses the colour.
type class int

const (
	plain class = iota
	good
	dim
	bad
)

// line is one clean line for people.
type line struct {
	class class
	text  string
}

// Bounds of what people are shown, in characters.
const (
	maxShownNote = 200
	// maxShownWarning bounds a note that is a warning.
	maxShownWarning = 1000
	maxShownGoal    = 300
)

// progress is what the events so far say about a run.
type progress struct {
	start     wire.Start
	started   bool
	direction string
	rows      []wire.RowData
	baseline  *float64
	best      *float64
	spent     float64
	told      float64 // the spent of the last line about it
	turn      bool    // a turn is open
	plugins   int     // how many were told
}

// add takes one event in and returns the lines it is worth.
func (p *progress) add(e wire.Event) []line {
	switch e := e.(type) {
	case wire.Start:
		p.start, p.started = e, true
		return p.startLines()
	case wire.Identity:
		p.direction = e.Identity.Direction
	case wire.Plugins:
		return p.pluginLines(e.Plugins)
	case wire.Phase:
		return []line{{plain, "phase " + p.phase(e)}}
	case wire.Note:
		limit := maxShownNote
		if strings.HasPrefix(e.Msg, "WARNING") {
			limit = maxShownWarning // what matters may stand at its end
		}
		return []line{{plain, "note  " + oneLine(e.Msg, limit)}}
	case wire.Row:
		return p.addRow(e)
	case wire.AgentStart:
		p.turn = true
	case wire.AgentDone:
		p.turn = false
	case wire.Agent:
		return agentLines(e.Event)
	case wire.Budget:
		return p.addBudget(e)
	case wire.Escalation:
		return []line{{bad, "escalation  " + oneLine(e.Category+": "+e.Reason, maxShownNote)}}
	case wire.Shutdown:
		return []line{p.end(e)}
	}
	return nil
}

func (p *progress) startLines() []line {
	facts := []string{"objective " + oneLine(p.start.Gate, 100)}
	if p.start.ItersTotal == 1 {
		facts = append(facts, "1 iteration")
	} else {
		facts = append(facts, fmt.Sprintf("%d iterations", p.start.ItersTotal))
	}
	if p.start.MaxCost > 0 {
		facts = append(facts, "at most "+dollars(p.start.MaxCost))
	}
	if p.start.MaxSecs > 0 {
		facts = append(facts, "at most "+(time.Duration(min(p.start.MaxSecs, 1<<32))*time.Second).String())
	}
	return []line{
		{plain, "goal  " + oneLine(p.start.Goal, maxShownGoal)},
		{plain, "run   " + strings.Join(facts, ", ")},
	}
}

// pluginLines tells of the plugins that came since the last time.
func (p *progress) pluginLines(plugins []wire.Plugin) []line {
	var out []line
	for _, one := range plugins[min(p.plugins, len(plugins)):] {
		out = append(out, line{dim, fmt.Sprintf("plugin  %s/%s %s (contract %s)",
			oneLine(one.PluginKind, 20), oneLine(one.Name, 60), oneLine(one.Version, 40), oneLine(one.Contract, 40))})
	}
	p.plugins = len(plugins)
	return out
}

func (p *progress) phase(e wire.Phase) string {
	name := oneLine(e.Phase, 40)
	if e.Phase != wire.PhaseIteration {
		return name
	}
	if p.start.ItersTotal > 0 {
		return fmt.Sprintf("%s %d/%d", name, e.Iter, p.start.ItersTotal)
	}
	return fmt.Sprintf("%s %d", name, e.Iter)
}

func (p *progress) addRow(e wire.Row) []line {
	r := e.Row
	// The table at the end needs neither of these, and they are large.
	r.Diff, r.Detail, r.CandidateMD, r.Evidence = "", "", "", nil
	p.rows = append(p.rows, r)
	c := dim
	switch r.Decision {
	case wire.DecisionBaseline:
		p.baseline, p.best, c = r.Score, r.Score, plain
	case wire.DecisionKeep:
		p.best, c = r.Score, good
	case wire.DecisionDiscarded, wire.DecisionInfraDead:
		c = bad
	}
	text := fmt.Sprintf("iter %d  %s", r.Iter, oneLine(r.Decision, 40))
	if r.Score != nil {
		text += "  score " + score(r.Score)
	}
	if p.best != nil && r.Decision != wire.DecisionBaseline {
		text += "  best " + score(p.best)
	}
	if e.Solved {
		text += "  solved"
	}
	if note := oneLine(r.Note, maxShownNote); note != "" {
		text += "  " + note
	}
	return []line{{c, text}}
}

// addBudget tells of money spent after a turn, not of every sample within one.
func (p *progress) addBudget(e wire.Budget) []line {
	p.spent = e.Spent
	if p.turn || e.Spent == p.told {
		return nil
	}
	p.told = e.Spent
	text := "spent " + dollars(e.Spent)
	if p.start.MaxCost > 0 {
		text += " of " + dollars(p.start.MaxCost)
	}
	return []line{{plain, text + " in " + clock(time.Duration(min(e.ElapsedSecs, 1<<32))*time.Second)}}
}

// agentLines tells of an agent's faults; its ordinary output is in the log.
func agentLines(e wire.AgentEvent) []line {
	switch e := e.(type) {
	case wire.Error:
		return []line{{bad, "agent error  " + oneLine(e.ErrorType+": "+e.Message, maxShownNote)}}
	case wire.Retry:
		return []line{{dim, fmt.Sprintf("agent retry  %d/%d: %s", e.Attempt, e.Max, oneLine(e.Error, maxShownNote))}}
	case wire.Result:
		if e.IsError {
			return []line{{bad, "agent error  " + oneLine(e.Error, maxShownNote)}}
		}
	}
	return nil
}

func (p *progress) end(e wire.Shutdown) line {
	c := plain
	switch e.Outcome {
	case wire.OutcomeSolved:
		c = good
	case wire.OutcomeError, wire.OutcomeStalled, wire.OutcomeEscalated:
		c = bad
	}
	if e.Outcome == wire.OutcomeError {
		return line{c, "end   error"} // the program ends with its text
	}
	return line{c, "end   " + oneLine(e.Outcome, 40) + ": " + oneLine(e.Reason, 2000)}
}
