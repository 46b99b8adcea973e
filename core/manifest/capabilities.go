package manifest

import (
	"slices"

	"github.com/crucible-engine/crucible/core/diag"
)

// Contexts of a credential.
const (
	ContextAgent  = "agent"  // its value is in the agent's reach
	ContextBroker = "broker" // only the broker has it
)

// Secret says what a credential is good for ([[capabilities.secret]],
// C-CAPABILITY-DISCLOSURE).
type Secret struct {
	// Name is a variable of [agent.env], a relay's destination, or that of a
	// credential given from outside.
	Name string
	// Context is ContextAgent or ContextBroker.
	Context string
	// System and Scope say in words what it authorizes, and how far.
	System, Scope string
}

// capabilities reads [capabilities].
func (p *pack) capabilities(t value) { t.read(tables("secret", p.secret)) }

func (p *pack) secret(t value) {
	var s Secret
	t.read(word("name", &s.Name), choice("context", &s.Context, ContextAgent, ContextBroker), word("system", &s.System), word("scope", &s.Scope))
	for name, hint := range map[string]string{
		"name":    "it is a variable or the destination of a relay",
		"context": `write context = "agent" when the agent can read the value, else "broker"`,
		"system":  "it is what the credential opens, such as \"github.com\"",
		"scope":   "it is how far the credential reaches, such as \"repo:read\"",
	} {
		if blank(t, name) {
			t.missing(name, hint)
		}
	}
	if s.Name != "" && slices.ContainsFunc(p.m.Secrets, func(other Secret) bool { return other.Name == s.Name }) {
		t.at("name").fault("", "%s is declared twice", diag.Quote(s.Name, shown))
	}
	p.m.Secrets = append(p.m.Secrets, s)
}
