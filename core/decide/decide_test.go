package decide_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crucible-engine/crucible/core/decide"
)

// clause is C-DECIDE as a table, for a valid reading that is not solved: how its
// score compares with the best, how its tiebreak compares with the best one, and
// whether it is kept. It knows nothing of numbers and directions.
var clause = map[[2]string]bool{
	{"none", "none"}: false, {"none", "better"}: false, {"none", "equal"}: false, {"none", "worse"}: false,
	{"first", "none"}: true, {"first", "better"}: true, {"first", "equal"}: true, {"first", "worse"}: true,
	{"better", "none"}: true, {"better", "better"}: true, {"better", "equal"}: true, {"better", "worse"}: true,
	{"equal", "none"}: false, {"equal", "better"}: true, {"equal", "equal"}: false, {"equal", "worse"}: false,
	{"worse", "none"}: false, {"worse", "better"}: false, {"worse", "equal"}: false, {"worse", "worse"}: false,
}

// ladder holds the numbers of the product test in ascending order, with close
// neighbours, so that a place in it says which of two is greater.
var ladder = []float64{
	-math.MaxFloat64, -2, math.Nextafter(-1, -2), -1, -math.SmallestNonzeroFloat64, 0,
	math.SmallestNonzeroFloat64, 1, math.Nextafter(1, 2), 1 << 53, math.MaxFloat64,
}

// none is the place of a number that is absent.
const none = -1

func number(place int) *float64 {
	if place == none {
		return nil
	}
	return &ladder[place]
}

// compare says how a number compares with the best, from their places alone. An
// absent best is the worst value.
func compare(place, best int, d decide.Direction, absentBest string) string {
	switch {
	case place == none:
		return "none"
	case best == none:
		return absentBest
	case place == best:
		return "equal"
	case (place < best) == (d == decide.Lower):
		return "better"
	default:
		return "worse"
	}
}

func TestDecideIsTheClause(t *testing.T) {
	t.Parallel()
	rules := []struct {
		rule     decide.Rule
		tiebreak decide.Direction // the one that counts
	}{
		{decide.Rule{Direction: decide.Lower}, decide.Lower},
		{decide.Rule{Direction: decide.Higher}, decide.Higher},
		{decide.Rule{Direction: decide.Lower, Tiebreak: decide.Lower}, decide.Lower},
		{decide.Rule{Direction: decide.Lower, Tiebreak: decide.Higher}, decide.Higher},
		{decide.Rule{Direction: decide.Higher, Tiebreak: decide.Lower}, decide.Lower},
		{decide.Rule{Direction: decide.Higher, Tiebreak: decide.Higher}, decide.Higher},
	}
	for _, r := range rules {
		t.Run(fmt.Sprintf("%v then %v", r.rule.Direction, r.rule.Tiebreak), func(t *testing.T) {
			t.Parallel()
			everyCase(func(c candidate) {
				score := compare(c.score, c.bestScore, r.rule.Direction, "first")
				tiebreak := compare(c.tiebreak, c.bestTiebreak, r.tiebreak, "better")
				want := decide.Verdict{Keep: clause[[2]string{score, tiebreak}]}
				if c.solved && score != "none" {
					want.Keep = true
				}
				want.Keep = want.Keep && c.valid
				want.Solved = want.Keep && c.solved

				got := r.rule.Decide(
					decide.Reading{Valid: c.valid, Solved: c.solved, Score: number(c.score), Tiebreak: number(c.tiebreak)},
					decide.Best{Score: number(c.bestScore), Tiebreak: number(c.bestTiebreak)},
				)
				if got != want {
					t.Fatalf("%+v: score %s, tiebreak %s: got %+v, want %+v", c, score, tiebreak, got, want)
				}
			})
		})
	}
}

// candidate is one case of the product; numbers are places on the ladder.
type candidate struct {
	valid, solved                            bool
	score, tiebreak, bestScore, bestTiebreak int
}

func everyCase(visit func(candidate)) {
	var c candidate
	for _, c.valid = range []bool{false, true} {
		for _, c.solved = range []bool{false, true} {
			for c.score = none; c.score < len(ladder); c.score++ {
				for c.bestScore = none; c.bestScore < len(ladder); c.bestScore++ {
					for c.tiebreak = none; c.tiebreak < len(ladder); c.tiebreak++ {
						for c.bestTiebreak = none; c.bestTiebreak < len(ladder); c.bestTiebreak++ {
							visit(c)
						}
					}
				}
			}
		}
	}
}

// The numbers that are equal though they are written differently.
func TestMinusZeroIsZero(t *testing.T) {
	t.Parallel()
	minus := math.Copysign(0, -1)
	for _, d := range []decide.Direction{decide.Lower, decide.Higher} {
		rule := decide.Rule{Direction: d}
		for _, pair := range [][2]float64{{0, minus}, {minus, 0}} {
			reading := decide.Reading{Valid: true, Score: &pair[0]}
			if got := rule.Decide(reading, decide.Best{Score: &pair[1]}); got.Keep {
				t.Errorf("%v: %v is kept over %v", d, pair[0], pair[1])
			}
		}
	}
}

// A rule without a direction must not keep anything but a first reading or what
// is solved: no number is better than another.
func TestUnspecifiedDirection(t *testing.T) {
	t.Parallel()
	var rule decide.Rule
	for _, score := range []float64{-1, 0, 1} {
		reading := decide.Reading{Valid: true, Score: &score, Tiebreak: &score}
		if got := rule.Decide(reading, decide.Best{Score: new(0.0), Tiebreak: new(0.0)}); got.Keep {
			t.Errorf("%v is kept", score)
		}
	}
}

func TestBestTakesBothNumbers(t *testing.T) {
	t.Parallel()
	reading := decide.Reading{Valid: true, Score: new(1.0)}
	want := decide.Best{Score: new(1.0)}
	if diff := cmp.Diff(want, reading.Best()); diff != "" {
		t.Errorf("best (-want +got):\n%s", diff)
	}
	reading.Tiebreak, want.Tiebreak = new(2.0), new(2.0)
	if diff := cmp.Diff(want, reading.Best()); diff != "" {
		t.Errorf("best (-want +got):\n%s", diff)
	}
}

func TestImproved(t *testing.T) {
	t.Parallel()
	for _, d := range []decide.Direction{decide.Lower, decide.Higher} {
		rule := decide.Rule{Direction: d}
		for best := none; best < len(ladder); best++ {
			for baseline := none; baseline < len(ladder); baseline++ {
				want := compare(best, baseline, d, "better") == "better"
				got := rule.Improved(decide.Best{Score: number(best)}, decide.Best{Score: number(baseline)})
				if got != want {
					t.Errorf("%v: best %d, baseline %d: got %v, want %v", d, best, baseline, got, want)
				}
			}
		}
	}
}

func TestImprovedByTheTiebreak(t *testing.T) {
	t.Parallel()
	rule := decide.Rule{Direction: decide.Lower, Tiebreak: decide.Higher}
	for _, tc := range []struct {
		name           string
		best, baseline *float64
		want           bool
	}{
		{"better", new(2.0), new(1.0), true},
		{"equal", new(1.0), new(1.0), false},
		{"worse", new(1.0), new(2.0), false},
		{"none before", new(1.0), nil, true},
		{"none now", nil, new(1.0), false},
	} {
		got := rule.Improved(decide.Best{Score: new(7.0), Tiebreak: tc.best}, decide.Best{Score: new(7.0), Tiebreak: tc.baseline})
		if got != tc.want {
			t.Errorf("%s: got %v, want %v", tc.name, got, tc.want)
		}
	}
}

func TestParseDirection(t *testing.T) {
	t.Parallel()
	for _, d := range []decide.Direction{decide.Lower, decide.Higher} {
		if got, err := decide.ParseDirection(d.String()); got != d || err != nil {
			t.Errorf("%v: got %v, %v", d, got, err)
		}
	}
	for _, bad := range []string{"", "Lower", "higher ", "unspecified", "min"} {
		if got, err := decide.ParseDirection(bad); err == nil || got != decide.Unspecified {
			t.Errorf("%q: got %v, %v, want an error", bad, got, err)
		}
	}
}
