package check

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/crucible-engine/crucible/core/diag"
	"github.com/crucible-engine/crucible/core/manifest"
	"github.com/crucible-engine/crucible/sdk/proc"
	"github.com/crucible-engine/crucible/sdk/world"
)

// Samples are the scores of one state of the self-test, in the order of the
// runs.
type Samples []float64

// Mean is their mean.
func (s Samples) Mean() float64 {
	sum := 0.0
	for _, x := range s {
		sum += x
	}
	return sum / float64(len(s))
}

// Range is the least and the greatest score.
func (s Samples) Range() (least, greatest float64) { return slices.Min(s), slices.Max(s) }

// Selftest is what the two states of [judge.selftest] measured.
type Selftest struct {
	Good, Bad Samples
	// Discriminates: the good state's mean is strictly better (C-SELFTEST).
	Discriminates bool
	// Overlap: some reading of the bad state is as good as one of the good state.
	Overlap bool
}

// selftest measures both states, each on the restored base (C-SELFTEST).
func (t *trial) selftest(ctx context.Context, s manifest.Selftest) error {
	var out Selftest
	for _, c := range []struct {
		key, command string
		to           *Samples
	}{{"good_cmd", s.GoodCmd, &out.Good}, {"bad_cmd", s.BadCmd, &out.Bad}} {
		t.step("self-test: %s", c.key)
		samples, err := t.sample(ctx, s, c.key, c.command)
		if err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			t.fail(IDSelftest, err.Error(), "judge", "selftest", c.key)
			return nil
		}
		*c.to = samples
	}
	out.judge(t.m.Judge)
	t.result.Selftest = &out
	switch {
	case !out.Discriminates:
		t.fail(IDSelftestSame, fmt.Sprintf("good_cmd scores %v on the mean and bad_cmd %v: the judge does not call the good state better", out.Good.Mean(), out.Bad.Mean()), "judge", "selftest")
	case out.Overlap:
		t.add(at(t.m, IDSelftestNoise, diag.Warning, fmt.Sprintf("the readings of the two states overlap: good %s, bad %s; single readings do not tell them apart", out.Good, out.Bad),
			"measure longer, or more often", "judge", "selftest"))
	}
	return nil
}

// String is the samples' range and mean.
func (s Samples) String() string {
	least, greatest := s.Range()
	return fmt.Sprintf("%v to %v, mean %v", least, greatest, s.Mean())
}

func (s *Selftest) judge(j *manifest.Judge) {
	d := j.Rule.Direction
	s.Discriminates = d.Better(s.Good.Mean(), s.Bad.Mean())
	for _, good := range s.Good {
		for _, bad := range s.Bad {
			s.Overlap = s.Overlap || !d.Better(good, bad)
		}
	}
}

// sample makes one state on the restored base and measures it.
func (t *trial) sample(ctx context.Context, s manifest.Selftest, key, script string) (Samples, error) {
	if _, err := t.pack.World.Restore(ctx, t.pack.Base()); err != nil {
		return nil, fmt.Errorf("restore the untouched state: %w", err)
	}
	c := proc.Shell(script)
	c.Dir, c.Env, c.Timeout = t.pack.Manifest.Workspace.Dir, t.o.Env, s.Timeout
	if c.Timeout == 0 {
		c.Timeout = t.m.Judge.MeasureTimeout
	}
	stderr := proc.NewCapture(0, 4<<10)
	c.StderrTo = stderr
	exit, err := proc.Run(ctx, c)
	switch {
	case err != nil:
		return nil, fmt.Errorf("run %s: %w", key, err)
	case exit.TimedOut:
		return nil, fmt.Errorf("%s was not done after %v", key, c.Timeout)
	case !exit.Success():
		return nil, fmt.Errorf("%s: %s: %s", key, exit, stderr.String())
	}
	if applied, err := t.pack.World.Apply(ctx, func(world.LogLine) {}); err != nil {
		return nil, fmt.Errorf("apply the state of %s: %w", key, err)
	} else if !applied.OK {
		return nil, fmt.Errorf("the state of %s cannot be applied: %s", key, applied.Note)
	}
	var out Samples
	for range s.Runs {
		reading, err := t.measure(ctx)
		switch {
		case err != nil:
			return nil, fmt.Errorf("measure the state of %s: %w", key, err)
		case !reading.Valid:
			return nil, fmt.Errorf("the state of %s does not measure: %s", key, reading.Note)
		case reading.Score == nil:
			return nil, errors.New("the reading of the state of " + key + " has no score")
		}
		out = append(out, *reading.Score)
	}
	return out, nil
}
