package gitmem

import (
	"path"
	"slices"
	"strings"
)

// engineFiles are what the engine and an agent exchange in the root of a
// workspace; no state holds them.
var engineFiles = []string{
	"RESULTS.md", "CANDIDATE.md", "ESCALATION.json", "PROVISIONING_PENDING.json", "PLAN_TASK_RESULT.json",
}

// agentDir is the agent's own directory. It is kept out of states and survives a
// restore, unless the original repository has files in it.
const agentDir = ".claude"

// excluded are the paths that no snapshot holds and no restore touches.
func (r *record) excluded() []string { return union(engineFiles, r.Exclude) }

// covers reports whether a path is one of list or lies under one.
func covers(list []string, p string) bool {
	return slices.ContainsFunc(list, func(e string) bool { return p == e || strings.HasPrefix(p, e+"/") })
}

// notOurs reports whether no state holds a path, whatever .gitignore says. The
// agent's directory is not among these: the repository may have files in it.
func (m *memory) notOurs(p string) bool {
	return slices.Contains(engineFiles, p) || slices.Contains(m.rec.Exclude, p)
}

// patterns are the lines that make git ignore the excluded paths.
func (r *record) patterns() []string {
	lines := []string{"/" + agentDir + "/"}
	for _, p := range r.excluded() {
		lines = append(lines, "/"+escapePattern(path.Clean(p)))
	}
	return lines
}

// escapePattern makes a path match itself only.
func escapePattern(p string) string {
	p = strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(p)
	if trimmed := strings.TrimRight(p, " "); len(trimmed) < len(p) {
		p = trimmed + strings.Repeat(`\ `, len(p)-len(trimmed))
	}
	return p
}

// withPatterns adds the lines that are missing to the text of an exclude file.
func withPatterns(text string, lines []string) string {
	have := strings.Split(text, "\n")
	for _, l := range lines {
		if slices.Contains(have, l) {
			continue
		}
		if text != "" && !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		text += l + "\n"
	}
	return text
}
