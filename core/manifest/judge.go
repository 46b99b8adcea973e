package manifest

import (
	"strings"

	"github.com/crucible-engine/crucible/core/decide"
)

// judge reads [judge].
func (p *pack) judge(t value) {
	j := &Judge{Objective: "score"}
	var direction, tiebreak string
	fields := []field{
		text("measure_cmd", &j.MeasureCmd),
		timeout("measure_timeout", &j.MeasureTimeout),
		choice("direction", &direction, "lower", "higher"),
		choice("tiebreak_direction", &tiebreak, "lower", "higher"),
		word("objective", &j.Objective),
		flag("skip_baseline", &j.SkipBaseline),
		table("selftest", j.readSelftest),
	}
	t.read(fields...)
	if j.MeasureCmd == "" && blank(t, "measure_cmd") {
		t.missing("measure_cmd", "it is the shell command that scores a candidate")
	}
	if !t.has("direction") {
		t.missing("direction", `write direction = "lower" or direction = "higher"`)
	}
	if strings.EqualFold(j.Objective, "task") {
		t.at("objective").fault("choose another name", `"task" is reserved for runs without a judge`)
	}
	// choice let only these words through; an empty one stays unspecified.
	j.Rule.Direction, _ = decide.ParseDirection(direction)
	j.Rule.Tiebreak = j.Rule.Direction
	if tiebreak != "" {
		j.Rule.Tiebreak, _ = decide.ParseDirection(tiebreak)
	}
	p.m.Judge = j
}

// blank reports whether a key is absent or holds only white space, as opposed
// to a value that was refused already.
func blank(t value, name string) bool {
	n := t.node.get(name)
	return n == nil || n.kind == kindString && strings.TrimSpace(n.text) == ""
}
