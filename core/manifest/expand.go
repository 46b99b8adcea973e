package manifest

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/crucible-engine/crucible/core/diag"
)

// expandError says why a string of [workspace].inject stands for nothing.
type expandError struct{ problem, hint string }

const injectTable = "use a table with src and dst"

// expand finds the files that a string stands for, in sorted order
// (C-MANIFEST). A directory stands for every regular file in it, those whose
// names start with a dot included. A string with "*", "?" or "[" is a pattern
// in which "**" crosses directories and a leading dot has to be written out.
// Git's directories, and what only wildcards reach of the workspace and of the
// default state directory, are left out.
func (p *pack) expand(v value, pattern string) ([]match, *expandError) {
	clean, err := cleanPattern(pattern)
	if err != nil {
		return nil, err
	}
	w := &walk{dir: p.m.Dir, real: p.m.Dir, skip: []string{p.m.Workspace.Dir, filepath.Join(p.m.Dir, "state")}, v: v, visited: &p.visited}
	if strings.ContainsAny(clean, "*?[") {
		if w.steps, err = compile(clean); err != nil {
			return nil, err
		}
		err = w.visit(".", w.start(), 0)
	} else {
		err = w.literal(clean)
	}
	if err != nil {
		return nil, err
	}
	if len(w.found) == 0 {
		return nil, &expandError{problem: "matches no file"}
	}
	slices.SortFunc(w.found, func(a, b match) int { return strings.Compare(a.name, b.name) })
	return w.found, nil
}

// cleanPattern checks the form of a string before anything is looked up.
func cleanPattern(pattern string) (string, *expandError) {
	switch {
	case strings.TrimSpace(pattern) == "":
		return "", &expandError{"is empty", ""}
	case path.IsAbs(pattern):
		return "", &expandError{"is absolute, but a string has to stay under the manifest directory", injectTable}
	case slices.Contains(strings.Split(pattern, "/"), ".."):
		return "", &expandError{`holds "..", but a string has to stay under the manifest directory`, injectTable}
	}
	clean := path.Clean(pattern)
	if problem := destinationProblem(clean); problem != "" {
		return "", &expandError{problem, ""}
	}
	return clean, nil
}

// step is one component of a pattern.
type step struct {
	// pattern is in doublestar's syntax, without braces and escapes of its own.
	pattern string
	// any: the step is "**". fixed: it has no wildcard.
	any, fixed bool
}

// maxSteps bounds the components of a pattern: a set of them is kept in 64 bits.
const maxSteps = 64

func compile(pattern string) ([]step, *expandError) {
	// Braces and backslashes are ordinary characters in a manifest.
	escape := strings.NewReplacer(`\`, `\\`, `{`, `\{`, `}`, `\}`)
	var steps []step
	for part := range strings.SplitSeq(pattern, "/") {
		s := step{pattern: escape.Replace(part), any: part == "**", fixed: !strings.ContainsAny(part, "*?[")}
		if !doublestar.ValidatePattern(s.pattern) {
			return nil, &expandError{"is not a valid pattern", `a "[" needs its "]"`}
		}
		if s.any && len(steps) > 0 && steps[len(steps)-1].any {
			continue
		}
		steps = append(steps, s)
	}
	if len(steps) > maxSteps {
		return nil, &expandError{"has too many components", ""}
	}
	return steps, nil
}

// matches reports whether a name fits a step other than "**". A leading dot
// fits only a leading dot.
func (s step) matches(name string) bool {
	if name[0] == '.' && s.pattern[0] != '.' {
		return false
	}
	ok, err := doublestar.Match(s.pattern, name)
	return err == nil && ok
}

// literal finds what a string without wildcards stands for.
func (w *walk) literal(name string) *expandError {
	info, err := os.Stat(filepath.Join(w.dir, name))
	if err != nil {
		return &expandError{problem: "matches no file: " + plain(err).Error()}
	}
	if !info.IsDir() {
		if err := regular(info); err != nil {
			return &expandError{problem: err.Error()}
		}
		return w.file(name)
	}
	if outside, err := w.leadsOut(name); err != nil || outside {
		return &expandError{"leads out of the manifest directory", injectTable}
	}
	w.steps, w.hidden = []step{{pattern: "**", any: true}}, true
	return w.visit(name, w.start(), 0)
}

func (w *walk) leadsOut(name string) (bool, error) {
	real, err := filepath.EvalSymlinks(filepath.Join(w.dir, name))
	return err == nil && !inside(w.real, real), err
}

// file adds a regular file, or a link to one.
func (w *walk) file(name string) *expandError {
	real, err := filepath.EvalSymlinks(filepath.Join(w.dir, name))
	if err != nil {
		return &expandError{problem: "matches " + diag.Quote(name, shown) + ": " + plain(err).Error()}
	}
	if !inside(w.real, real) {
		return &expandError{"leads out of the manifest directory at " + diag.Quote(name, shown), injectTable}
	}
	f, info, err := OpenRegular(real)
	if err != nil {
		return &expandError{problem: "matches " + diag.Quote(name, shown) + ": " + err.Error()}
	}
	f.Close() // It was only opened to see that it can be.
	if len(w.found) == MaxInjects {
		return &expandError{problem: "matches more than " + strconv.Itoa(MaxInjects) + " files"}
	}
	w.found = append(w.found, match{name, info})
	return nil
}
