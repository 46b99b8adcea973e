package conformance

import (
	"slices"

	"github.com/crucible-engine/crucible/sdk/plugin"
)

// Transport is the suite of transports.
func Transport() []Case {
	return slices.Concat(common(plugin.KindTransport), turns(), endings(), greased())
}

// World is the suite of worlds.
func World() []Case {
	return slices.Concat(common(plugin.KindWorld), openings(), restores(), readings(), forkings(), commands())
}
