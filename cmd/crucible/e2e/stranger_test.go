package e2e_test

import (
	"os/exec"
	"strings"
	"testing"
)

// TestStrangerStandsAlone: the stranger proves what docs/contract.md says only
// as long as it has nothing of the SDK but the generated protocols, and does not
// use the handshake library.
func TestStrangerStandsAlone(t *testing.T) {
	const module, protocols = "github.com/crucible-engine/crucible/", "sdk/proto/"
	out, err := exec.Command("go", "list", "-deps", "./stranger").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	ours := 0
	for path := range strings.Lines(string(out)) {
		path = strings.TrimSpace(path)
		name, own := strings.CutPrefix(path, module)
		switch {
		case own && strings.HasPrefix(name, protocols):
			ours++
		case own && name != "cmd/crucible/e2e/stranger", strings.HasPrefix(path, "github.com/hashicorp/"):
			t.Errorf("the stranger reaches %s", path)
		}
	}
	if ours != 2 {
		t.Errorf("the stranger reaches %d packages of protocols, want those of plugin and transport", ours)
	}
}
