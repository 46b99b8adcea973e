package manifest

import (
	"strings"

	"github.com/crucible-engine/crucible/core/diag"
	"github.com/crucible-engine/crucible/core/outputs"
)

// Publish is where kept candidates are proposed ([publish]).
type Publish struct {
	// PRRepo is owner/name, empty for none.
	PRRepo string
}

// publish reads [publish].
func (p *pack) publish(t value) {
	t.read(word("pr_repo", &p.m.Publish.PRRepo))
	if s := p.m.Publish.PRRepo; s != "" {
		checkRepository(t.at("pr_repo"), s)
	}
}

// checkRepository wants one repository, owner/name.
func checkRepository(v value, s string) {
	if err := outputs.CheckTarget(outputs.DraftPR, s); err != nil || strings.Contains(s, "*") {
		v.fault("", "%s is not a repository, owner/name", diag.Quote(s, shown))
	}
}
