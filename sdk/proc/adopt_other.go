//go:build unix && !linux

package proc

import "errors"

// Adopt always fails: it is for Linux alone. What leaves its group stays.
func Adopt() error { return errors.ErrUnsupported }

// sweepOrphans has nothing to do.
func (g *guard) sweepOrphans() {}
