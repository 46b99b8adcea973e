package main

import (
	"os"
	"testing"

	"github.com/crucible-engine/crucible/sdk/conformance"
	"github.com/crucible-engine/crucible/sdk/world"
)

// TestMain lets the test binary be the plugin, so that nothing has to be built.
func TestMain(m *testing.M) {
	if conformance.StartedAsPlugin() {
		main()
	}
	os.Exit(m.Run())
}

func TestConformance(t *testing.T) {
	t.Parallel()
	for name, target := range map[string]conformance.Target{
		"value":  {Info: info(), World: func() world.World { return &git{} }},
		"binary": conformance.Self(),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, c := range conformance.World() {
				t.Run(c.Name, func(t *testing.T) {
					t.Parallel()
					c.Run(t, target)
				})
			}
		})
	}
}
