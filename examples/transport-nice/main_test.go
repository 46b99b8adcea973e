package main

import (
	"os"
	"testing"

	"github.com/crucible-engine/crucible/sdk/conformance"
)

func TestMain(m *testing.M) {
	if conformance.StartedAsPlugin() {
		main() // the test binary plays the plugin
	}
	os.Exit(m.Run())
}

func TestConformance(t *testing.T) {
	for _, c := range conformance.Transport() {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			c.Run(t, conformance.Self())
		})
	}
}
