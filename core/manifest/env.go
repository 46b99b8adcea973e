package manifest

import (
	"slices"
	"strings"

	"github.com/crucible-engine/crucible/core/diag"
)

// Option changes how a manifest is read.
type Option func(*pack)

// WithEnv takes the values of ${env:NAME} from lookup, in place of the
// environment of the process.
func WithEnv(lookup func(name string) (value string, set bool)) Option {
	return func(p *pack) { p.lookup = lookup }
}

// envValue is the one place where the text of a variable becomes its value:
// "${env:NAME}" stands for a variable of the engine's environment, so that no
// secret has to stand in a manifest, and "$${" for "${". A name that is unset is
// noted for CheckEnv: whoever only looks at a pack need not have its secrets.
func (p *pack) envValue(v value) (string, bool) {
	text, ok := v.text(maxString)
	if !ok {
		return "", false
	}
	var out strings.Builder
	for out.Len() <= maxString {
		before, rest, found := strings.Cut(text, "${")
		out.WriteString(before)
		if !found {
			break
		}
		if strings.HasSuffix(before, "$") { // an escape, whose first "$" is the one that stays
			out.WriteString("{")
			text = rest
			continue
		}
		name, after, ended := strings.Cut(rest, "}")
		name, isEnv := strings.CutPrefix(name, "env:")
		if !ended || !isEnv || !envName(name) {
			v.fault(`write ${env:NAME}, or $${ for the two characters`, "an expansion is not ${env:NAME}")
			return "", false
		}
		value, set := p.lookup(name)
		if !set {
			p.unset(v, name)
		}
		out.WriteString(value)
		text = after
	}
	if out.Len() > maxString {
		v.fault("", "with its expansions the value has more bytes than the limit of %d", maxString)
		return "", false
	}
	return out.String(), true
}

// unset notes a variable once for each key that asks for it.
func (p *pack) unset(v value, name string) {
	line, col := v.doc.position(v.node.at)
	d := diag.Diagnostic{
		Severity: diag.Error, File: v.doc.file, Line: line, Col: col, Path: v.path,
		Message: "the variable " + name + " is not set", Hint: "export it, or change ${env:" + name + "}",
	}
	if len(p.m.unset) < maxEnv && !slices.Contains(p.m.unset, d) {
		p.m.unset = append(p.m.unset, d)
	}
}

// CheckEnv gives an error for each variable that [agent.env] takes from the
// engine's environment and that is not set there.
func (m *Manifest) CheckEnv() error { return m.unset.Err() }
