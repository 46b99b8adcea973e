package manifest

import (
	"path"
	"strings"

	"github.com/crucible-engine/crucible/core/diag"
)

// Relay is a file that is made on the engine's machine and given to the agent
// for a turn ([[agent.relay]]). Exactly one of the last three is set.
type Relay struct {
	// Dest is an absolute path in the sandbox.
	Dest string
	// Template is text with expansions ${env:NAME}, ${file:/path}, ${file64:/path}
	// and ${cmd:command}.
	Template string
	// FromFile is an absolute path on the engine's machine, File how the manifest
	// spells it.
	FromFile, File string
	// FromCmd is a shell command whose output is the file.
	FromCmd string
}

// relay reads one table of [[agent.relay]].
func (p *pack) relay(t value) {
	var r Relay
	t.read(word("dest", &r.Dest), textUpTo("template", &r.Template, MaxFile), word("from_file", &r.FromFile), text("from_cmd", &r.FromCmd))
	switch {
	case r.Dest == "":
		if blank(t, "dest") {
			t.missing("dest", "it is where the file lies in the sandbox")
		}
	case r.Dest[0] != '/' || path.Clean(r.Dest) != r.Dest || r.Dest == "/":
		t.at("dest").fault("", "%s is not a clean absolute path in the sandbox", diag.Quote(r.Dest, shown))
	}
	for _, other := range p.m.Agent.Relays {
		if other.Dest == r.Dest && r.Dest != "" {
			t.at("dest").fault("", "another relay has this destination")
		}
	}
	given := 0
	for _, name := range []string{"template", "from_file", "from_cmd"} {
		if !blank(t, name) {
			given++
		}
	}
	if given != 1 {
		t.fault("", "want exactly one of template, from_file, from_cmd, have %d", given)
	}
	if r.File = r.FromFile; r.File != "" {
		r.FromFile = p.relayFile(t.at("from_file"), r.File)
	}
	checkTemplate(t.at("template"), r.Template)
	p.m.Agent.Relays = append(p.m.Agent.Relays, r)
}

// checkTemplate refuses an expansion that is not known or does not end. Messages
// do not show the template, which may hold a secret.
func checkTemplate(v value, text string) {
	for {
		_, rest, found := strings.Cut(text, "${")
		if !found {
			return
		}
		end := expansionEnd(rest)
		if end < 0 {
			v.fault("", "an expansion ${ has no end")
			return
		}
		kind, what, _ := strings.Cut(rest[:end], ":")
		problem := ""
		switch kind {
		case "env":
			if !envName(what) {
				problem = "${env:NAME} wants the name of a variable"
			}
		case "file", "file64":
			if !strings.HasPrefix(what, "/") {
				problem = "${" + kind + ":/path} wants an absolute path"
			}
		case "cmd":
			if strings.TrimSpace(what) == "" {
				problem = "${cmd:…} wants a command"
			}
		default:
			problem = "an expansion is none of ${env:NAME}, ${file:/path}, ${file64:/path}, ${cmd:command}"
		}
		if problem != "" {
			v.fault("", "%s", problem)
			return
		}
		text = rest[end+1:]
	}
}

// Expansions are the expansions of the template in their order, without their
// braces.
func (r Relay) Expansions() []string {
	var out []string
	for text := r.Template; ; {
		_, rest, found := strings.Cut(text, "${")
		end := expansionEnd(rest)
		if !found || end < 0 {
			return out
		}
		out = append(out, rest[:end])
		text = rest[end+1:]
	}
}

// expansionEnd is the offset of the brace that closes an expansion, -1 when there
// is none. Braces inside are counted.
func expansionEnd(s string) int {
	depth := 1
	for i := range len(s) {
		switch s[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}
