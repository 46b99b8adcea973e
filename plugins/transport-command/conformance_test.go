package main

import (
	"os"
	"testing"

	"github.com/crucible-engine/crucible/sdk/conformance"
	"github.com/crucible-engine/crucible/sdk/contract"
	"github.com/crucible-engine/crucible/sdk/plugin"
)

// roleVariable makes the test binary the plugin.
const roleVariable = "TRANSPORT_COMMAND_TEST_PLUGIN"

func TestMain(m *testing.M) {
	if os.Getenv(roleVariable) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

func TestConformance(t *testing.T) {
	t.Parallel()
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	described := info
	described.Kind, described.Contract = plugin.KindTransport, contract.Version
	for name, target := range map[string]conformance.Target{
		"value":  {Info: described, Transport: &command{}},
		"binary": {Command: []string{binary}, Env: []string{roleVariable + "=1"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, c := range conformance.Transport() {
				t.Run(c.Name, func(t *testing.T) { c.Run(t, target) })
			}
		})
	}
}
