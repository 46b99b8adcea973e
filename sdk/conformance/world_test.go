package conformance_test

import (
	"strings"
	"testing"

	"github.com/crucible-engine/crucible/sdk"
	"github.com/crucible-engine/crucible/sdk/conformance"
	"github.com/crucible-engine/crucible/sdk/world"
)

// without lists the cases of what a plain world does not have; the world of git
// runs the whole suite in its own tests.
func without(name string) bool {
	switch name {
	case "token", "unchanged", "ignored", "excluded", "open-setup", "open-setup-fails", "open-clone", "close", "apply", "read-foreign":
		return true
	default:
		return strings.HasPrefix(name, "fork") || strings.HasPrefix(name, "adopt") || strings.HasPrefix(name, "diff")
	}
}

func plainTarget(fault string) conformance.Target {
	return conformance.Target{
		Info:  sdk.Info{Name: "plain", Version: "1.0.0"},
		World: func() world.World { return newPlain(fault) },
	}
}

func TestWorldInProcess(t *testing.T) {
	t.Parallel()
	for _, c := range conformance.World() {
		if without(c.Name) {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			c.Run(t, plainTarget(""))
		})
	}
}

// TestWorldFaults: every fault fails the cases that ask for it.
func TestWorldFaults(t *testing.T) {
	t.Parallel()
	for fault, cases := range map[string][]string{
		"attaches to nothing":     {"open-attach"},
		"takes foreign tokens":    {"foreign-token"},
		"leaves what is new":      {"restore-add", "restore-untracked", "restore-odd-names", "restore-own-snapshots", "restore-directory-to-link"},
		"forgets modes":           {"restore-mode"},
		"reads what is there now": {"read", "read-missing"},
	} {
		for _, name := range cases {
			t.Run(fault+"/"+name, func(t *testing.T) {
				t.Parallel()
				if outcome := find(t, conformance.World(), name).Try(t.Context(), plainTarget(fault)); !outcome.Failed {
					t.Errorf("the case did not fail: %q", outcome.Log)
				}
			})
		}
	}
}
