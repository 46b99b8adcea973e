package conformance_test

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/crucible-engine/crucible/sdk/conformance"
)

// TestStranger: what docs/contract.md says about a plugin without our packages
// is enough to write one.
func TestStranger(t *testing.T) {
	t.Parallel()
	binary := filepath.Join(t.TempDir(), "crucible-transport-stranger")
	if out, err := exec.Command("go", "build", "-o", binary, "./internal/stranger").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	target := conformance.Target{Command: []string{binary}}
	for _, c := range conformance.Transport() {
		if c.Name == "killed" {
			continue // it takes a second process to act after one's own SIGKILL
		}
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			c.Run(t, target)
		})
	}
}
