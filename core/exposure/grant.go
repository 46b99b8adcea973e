package exposure

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/crucible-engine/crucible/core/manifest"
)

// Grant is something that a run is given from outside the pack.
type Grant struct {
	// Kind is KindCredential or KindRelay.
	Kind string
	// Name is a variable, or the destination of a relay.
	Name string
	// Context is manifest.ContextAgent or ContextBroker.
	Context string
	// System and Scope are its reach, empty when whoever grants it does not say.
	System, Scope string
}

// ParseGrant reads "kind:name[,context=…][,system=…][,scope=…]". The context is
// the agent's unless it is given.
func ParseGrant(s string) (Grant, error) {
	const form = `want kind:name[,context=agent|broker][,system=…][,scope=…]`
	head, rest, more := strings.Cut(s, ",")
	kind, name, ok := strings.Cut(head, ":")
	if !ok || name == "" || kind != KindCredential && kind != KindRelay {
		return Grant{}, errors.New(form + ", kind is credential or relay")
	}
	g := Grant{Kind: kind, Name: name, Context: manifest.ContextAgent}
	for more {
		var part string
		part, rest, more = strings.Cut(rest, ",")
		key, value, ok := strings.Cut(part, "=")
		if !ok || value == "" {
			return Grant{}, errors.New(form)
		}
		switch key {
		case "context":
			if value != manifest.ContextAgent && value != manifest.ContextBroker {
				return Grant{}, errors.New("context is agent or broker")
			}
			g.Context = value
		case "system":
			g.System = value
		case "scope":
			g.Scope = value
		default:
			return Grant{}, fmt.Errorf("unknown key %q; "+form, key)
		}
	}
	return g, nil
}

func (g Grant) String() string {
	s := g.Kind + " " + g.Name + " (" + g.Context
	if g.System != "" {
		s += ", system " + g.System
	}
	if g.Scope != "" {
		s += ", scope " + g.Scope
	}
	return s + ")"
}

// provisioned are the variables that the engine itself gives an agent.
func provisioned() []string {
	return []string{
		"CLAUDE_CODE_USE_VERTEX", "ANTHROPIC_VERTEX_PROJECT_ID", "CLOUD_ML_REGION", "GCP_PROJECT_ID", "VERTEX_LOCATION",
		"GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL", "CRUCIBLE_TASK", "CRUCIBLE_TASK_RESULT",
	}
}

// Uncovered are the grants that no capability of the document covers
// (C-CAPABILITY-DISCLOSURE), in their order.
func (d Document) Uncovered(grants []Grant) []Grant {
	return slices.DeleteFunc(slices.Clone(grants), func(g Grant) bool {
		if g.Kind == KindCredential && slices.Contains(provisioned(), g.Name) {
			return true
		}
		return slices.ContainsFunc(d.Capabilities, func(c Capability) bool { return c.covers(g) })
	})
}

// CheckGrants is an error that names every grant that is not covered, and where
// it would have to be disclosed.
func (d Document) CheckGrants(grants []Grant) error {
	var errs []error
	for _, g := range d.Uncovered(grants) {
		where := "[[capabilities.secret]]"
		if g.Kind == KindRelay {
			where = "[[agent.relay]]"
		}
		errs = append(errs, fmt.Errorf("the grant %s is not covered by the pack's disclosure; %s would disclose it", g, where))
	}
	return errors.Join(errs...)
}

// covers reports whether the capability reaches at least as far as the grant. A
// reach that the manifest does not state covers none that is stated.
func (c Capability) covers(g Grant) bool {
	if c.Kind() != g.Kind {
		return false
	}
	if g.Kind == KindRelay {
		return c.text("path") == g.Name
	}
	switch {
	case c.text("name") != g.Name:
		return false
	case c.text("context") == manifest.ContextBroker && g.Context == manifest.ContextAgent:
		return false
	case g.System != "" && c.text("system") != g.System:
		return false
	default:
		return g.Scope == "" || c.text("scope") != Undeclared && admits(c.text("scope"), g.Scope)
	}
}

// admits reports whether a disclosed scope is at least as wide: equal, a pattern
// with "*" that matches, or what the other continues after one of / : @ #.
func admits(disclosed, granted string) bool {
	if disclosed == granted {
		return true
	}
	if before, after, ok := strings.Cut(disclosed, "*"); ok && !strings.Contains(after, "*") {
		return len(granted) >= len(before)+len(after) && strings.HasPrefix(granted, before) && strings.HasSuffix(granted, after)
	}
	rest, ok := strings.CutPrefix(granted, disclosed)
	return ok && rest != "" && strings.ContainsRune("/:@#", rune(rest[0]))
}
