package e2e_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/crucible-engine/crucible/sdk/contract"
)

// TestContractPage: what the page tells a stranger to type is what the engine
// uses.
func TestContractPage(t *testing.T) {
	page, err := os.ReadFile("../../../docs/contract.md")
	if err != nil {
		t.Fatal(err)
	}
	v, err := contract.ParseSemver(contract.Version)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		contract.CookieKey, contract.CookieValue, contract.DescribeFlag, contract.CallIDKey,
		fmt.Sprintf("`%d` for contract %d.%d", contract.Protocol(), v.Major, v.Minor), fmt.Sprintf("\n1|%d|unix|", contract.Protocol()),
	} {
		if !strings.Contains(string(page), want) {
			t.Errorf("docs/contract.md does not have %q", want)
		}
	}
}

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
