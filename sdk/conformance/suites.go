package conformance

import "slices"

// Transport is the suite of transports.
func Transport() []Case { return slices.Clip(slices.Concat(common())) }

// World is the suite of worlds.
func World() []Case { return slices.Clip(slices.Concat(common())) }

// common is what every plugin is tried for.
func common() []Case { return nil }
