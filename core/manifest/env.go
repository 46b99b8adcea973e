package manifest

import (
	"os"
	"strings"

	"github.com/crucible-engine/crucible/core/diag"
)

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
	for {
		before, rest, found := strings.Cut(text, "${")
		out.WriteString(before)
		if !found {
			return out.String(), true
		}
		if s := out.String(); strings.HasSuffix(s, "$") { // an escape
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
		value, set := os.LookupEnv(name)
		if !set {
			p.unset(v, name)
		}
		out.WriteString(value)
		text = after
	}
}

func (p *pack) unset(v value, name string) {
	line, col := v.doc.position(v.node.at)
	p.m.unset = append(p.m.unset, diag.Diagnostic{
		Severity: diag.Error, File: v.doc.file, Line: line, Col: col, Path: v.path,
		Message: "the variable " + name + " is not set", Hint: "export it, or change ${env:" + name + "}",
	})
}

// CheckEnv gives an error for each variable that [agent.env] takes from the
// engine's environment and that is not set there.
func (m *Manifest) CheckEnv() error { return m.unset.Err() }
