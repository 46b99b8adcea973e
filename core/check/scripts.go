package check

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/crucible-engine/crucible/core/diag"
	"github.com/crucible-engine/crucible/core/manifest"
)

// maxWords bounds how many words of a command are looked at.
const maxWords = 1000

// scripts looks for files of the workspace that a command of the judge's names
// and that the agent could edit. It reads the command by its words, as a person
// would: what a script runs in turn is not seen.
func scripts(m *manifest.Manifest, workspace, command string, keys ...string) []Finding {
	var out []Finding
	seen := map[string]bool{}
	for i, word := range strings.FieldsFunc(command, separates) {
		if i >= maxWords {
			break
		}
		name := path.Clean(strings.Trim(word, `"'`))
		if seen[name] || !filepath.IsLocal(name) || frozen(m, name) {
			continue
		}
		seen[name] = true
		info, err := os.Lstat(filepath.Join(workspace, filepath.FromSlash(name)))
		if err != nil || !info.Mode().IsRegular() || info.Mode().Perm()&0o111 == 0 && !isScript(name) {
			continue
		}
		out = append(out, at(m, IDScript, diag.Warning, fmt.Sprintf("%s measures, lies in the workspace and is not a frozen inject: the agent can edit it", diag.Quote(name, 80)),
			"add it to [workspace].inject", keys...))
	}
	return out
}

// separates reports whether a character ends a word of a shell command.
func separates(r rune) bool { return strings.ContainsRune(" \t\n;|&()<>`$={}", r) }

func isScript(name string) bool {
	switch path.Ext(name) {
	case ".sh", ".bash", ".py", ".pl", ".rb", ".js", ".mjs", ".ts", ".lua", ".awk", ".jq", ".mk":
		return true
	}
	return path.Base(name) == "Makefile"
}
