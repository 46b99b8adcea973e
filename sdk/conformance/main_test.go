package conformance_test

import (
	"os"
	"testing"

	"github.com/crucible-engine/crucible/sdk"
	"github.com/crucible-engine/crucible/sdk/conformance"
	"github.com/crucible-engine/crucible/sdk/transport"
)

// faultVariable names the fault of the plugin that this binary plays.
const faultVariable = "CRUCIBLE_TEST_FAULT"

var info = sdk.Info{
	Name: "shell", Version: "1.0.0",
	Features: []string{transport.FeatureParallelTurns, transport.FeatureSessions},
}

// TestMain lets the test binary be the plugin, so that nothing has to be built.
func TestMain(m *testing.M) {
	if conformance.StartedAsPlugin() {
		play(os.Getenv(faultVariable))
	}
	os.Exit(m.Run())
}
