package conformance

import (
	"context"
	"time"
)

// caseTime bounds one case, so that a plugin that hangs fails it.
const caseTime = 90 * time.Second

// T is the part of *testing.T that a case needs.
type T interface {
	Helper()
	Context() context.Context
	TempDir() string
	Cleanup(func())
	Logf(format string, args ...any)
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
	Skipf(format string, args ...any)
}

// Case is one demand of the contract.
type Case struct {
	// Name is short, lower-case, with dashes.
	Name string
	// Demand is one sentence: what a plugin that passes does.
	Demand string
	// process: the case looks at the plugin's process, so it needs a command line.
	process bool
	run     func(t T, target Target)
}

// Run tries the case on a plugin.
func (c Case) Run(t T, target Target) {
	t.Helper()
	if c.process && len(target.Command) == 0 {
		t.Skipf("needs a plugin with a process of its own")
	}
	t.Logf("%s", c.Demand)
	ctx, cancel := context.WithTimeout(t.Context(), caseTime)
	t.Cleanup(cancel)
	c.run(limited{t, ctx}, target)
}

// limited is a T whose context ends with the time of the case.
type limited struct {
	T
	ctx context.Context
}

func (l limited) Context() context.Context { return l.ctx }
