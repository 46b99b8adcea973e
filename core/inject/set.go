package inject

import (
	"context"
	"errors"

	"github.com/crucible-engine/crucible/core/identity"
	"github.com/crucible-engine/crucible/core/manifest"
)

// Set is the content of all injects as it was at the start of the run.
type Set struct {
	parts []identity.Inject
}

// Read takes the sources once.
func Read(entries []manifest.Inject) (*Set, error) {
	return nil, errors.New("read injects: being written")
}

// Apply places all files.
func (s *Set) Apply(ctx context.Context, workspace string) error {
	return errors.New("apply injects: being written")
}

// ApplyFrozen places the frozen files again, and removes what is in their way.
func (s *Set) ApplyFrozen(ctx context.Context, workspace string) error {
	return errors.New("apply injects: being written")
}

// Parts are the digests that the run's identity is computed from, in order.
func (s *Set) Parts() []identity.Inject { return s.parts }
