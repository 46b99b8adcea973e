// Package decide is the rule that keeps or discards a candidate (C-DECIDE). It
// is pure: a reading and the best so far go in, a verdict comes out. Nothing
// else in the engine decides anything.
package decide

import "fmt"

// Direction says which of two scores is better.
type Direction int

// The directions. The zero value is refused where a direction is required.
const (
	Unspecified Direction = iota
	Lower
	Higher
)

// ParseDirection reads the manifest's token.
func ParseDirection(s string) (Direction, error) {
	switch s {
	case "lower":
		return Lower, nil
	case "higher":
		return Higher, nil
	default:
		return Unspecified, fmt.Errorf("direction %q: want lower or higher", s)
	}
}

// String is the manifest's token.
func (d Direction) String() string {
	switch d {
	case Lower:
		return "lower"
	case Higher:
		return "higher"
	default:
		return "unspecified"
	}
}

// Better reports whether s is strictly better than b.
func (d Direction) Better(s, b float64) bool {
	switch d {
	case Lower:
		return s < b
	case Higher:
		return s > b
	default:
		return false
	}
}

// Rule holds the two directions of a judge.
type Rule struct {
	Direction Direction
	// Tiebreak is the direction of the tiebreak; Unspecified means Direction.
	Tiebreak Direction
}

// Reading is what the measure command said about a candidate.
type Reading struct {
	Valid bool
	// Score is nil when the command gave none.
	Score *float64
	// Tiebreak is nil when the command gave none.
	Tiebreak *float64
	Solved   bool
	Note     string
	// Detail is the command's own JSON object, compact, empty when there is none.
	Detail string
	// Total is detail.total when that is an unsigned integer.
	Total *uint64
}

// Best is what a candidate has to beat.
type Best struct {
	// Score is nil before the first valid reading: anything beats it.
	Score *float64
	// Tiebreak is nil when none was recorded, which counts as the worst value.
	Tiebreak *float64
}

// Verdict is what to do with a candidate.
type Verdict struct {
	Keep bool
	// Solved: the candidate is kept and the win condition is met. Never true for
	// a candidate that is not kept.
	Solved bool
}

// Decide applies C-DECIDE:
//
//	keep = valid AND score given AND
//	       (score better than best OR (score equal AND tiebreak better) OR solved)
//
// Score equality is exact. A tiebreak counts only when the reading has one.
func (r Rule) Decide(reading Reading, best Best) Verdict {
	if !reading.Valid || reading.Score == nil {
		return Verdict{}
	}
	keep := best.Score == nil ||
		r.Direction.Better(*reading.Score, *best.Score) ||
		(*reading.Score == *best.Score && r.tiebreakBetter(reading.Tiebreak, best.Tiebreak)) ||
		reading.Solved
	return Verdict{Keep: keep, Solved: keep && reading.Solved}
}

func (r Rule) tiebreakBetter(t, best *float64) bool {
	if t == nil {
		return false
	}
	if best == nil {
		return true
	}
	d := r.Tiebreak
	if d == Unspecified {
		d = r.Direction
	}
	return d.Better(*t, *best)
}

// Best is what the next candidate has to beat after this reading was kept: both
// numbers become the reading's, the tiebreak even when it has none.
func (r Reading) Best() Best {
	return Best{Score: r.Score, Tiebreak: r.Tiebreak}
}

// Improved reports whether best is strictly better than the baseline: by its
// score, or by its tiebreak at equal scores. A baseline without a score counts
// as the worst value.
func (r Rule) Improved(best, baseline Best) bool {
	switch {
	case best.Score == nil:
		return false
	case baseline.Score == nil:
		return true
	case *best.Score == *baseline.Score:
		return r.tiebreakBetter(best.Tiebreak, baseline.Tiebreak)
	default:
		return r.Direction.Better(*best.Score, *baseline.Score)
	}
}
