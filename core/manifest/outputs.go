package manifest

import (
	"math"

	"github.com/crucible-engine/crucible/core/diag"
	"github.com/crucible-engine/crucible/core/outputs"
)

// outputs reads [outputs], a table for each kind of write (C-OUTPUTS).
func (p *pack) outputs(t value) {
	var fields []field
	p.m.Outputs = outputs.Declaration{}
	for _, kind := range outputs.Kinds() {
		fields = append(fields, table(string(kind), func(v value) { p.output(kind, v) }))
	}
	t.read(fields...)
}

func (p *pack) output(kind outputs.Kind, t value) {
	b := outputs.Bound{Kind: kind, Source: outputs.FromManifest}
	where := table("target", func(v value) { b.Target = target(kind, v) })
	if !kind.Addresses() {
		where.read = func(v value) { v.fault("leave it out", "writes of this kind address nothing") }
	}
	t.read(number("count", &b.Count, 0, math.MaxUint32), where)
	if !t.has("count") {
		t.missing("count", "it is how many writes of this kind a run may make; 0 switches it off")
	}
	if kind.Addresses() && !t.has("target") {
		t.missing("target", "it is "+kind.Target()+`: write target = { fixed = "…" }`)
	}
	p.m.Outputs[kind] = b
}

// target reads where writes go: exactly one of fixed and open.
func target(kind outputs.Kind, t value) outputs.Target {
	var out outputs.Target
	t.read(word("fixed", &out.Fixed), table("open", func(v value) {
		v.read(word("scope", &out.Scope), word("param", &out.Param))
		if !v.has("scope") {
			v.missing("scope", "it says which targets the agent may choose from")
		} else if blank(v, "scope") {
			v.at("scope").fault("", "the string is empty")
		}
		if v.has("param") && blank(v, "param") {
			v.at("param").fault("leave it out", "the string is empty")
		}
		checkTarget(kind, v.at("scope"), out.Scope)
	}))
	switch {
	case t.has("fixed") == t.has("open"):
		t.fault("", "want exactly one of fixed and open")
	case t.has("fixed") && blank(t, "fixed"):
		t.at("fixed").fault("", "the string is empty")
	}
	checkTarget(kind, t.at("fixed"), out.Fixed)
	return out
}

func checkTarget(kind outputs.Kind, v value, s string) {
	if s == "" {
		return
	}
	if err := outputs.CheckTarget(kind, s); err != nil {
		v.fault("it addresses "+kind.Target(), "%s: %v", diag.Quote(s, shown), err)
	}
}
