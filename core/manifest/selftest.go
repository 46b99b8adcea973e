package manifest

import "time"

// Selftest shows that the judge tells good from bad ([judge.selftest],
// C-SELFTEST).
type Selftest struct {
	// GoodCmd and BadCmd are shell commands that bring the workspace into a state
	// that has to score better than the other.
	GoodCmd, BadCmd string
	// Runs is how often each state is measured, 1 or more.
	Runs uint32
	// Timeout bounds each of the two commands, 0 means no limit.
	Timeout time.Duration
}

const maxSelftestRuns = 1000

func (j *Judge) readSelftest(t value) {
	s := &Selftest{Runs: 1}
	t.read(
		text("good_cmd", &s.GoodCmd), text("bad_cmd", &s.BadCmd), number("runs", &s.Runs, 1, maxSelftestRuns), timeout("timeout", &s.Timeout),
	)
	if blank(t, "good_cmd") {
		t.missing("good_cmd", "it makes a state that has to score well")
	}
	if blank(t, "bad_cmd") {
		t.missing("bad_cmd", "it makes a state that has to score worse")
	}
	j.Selftest = s
}
