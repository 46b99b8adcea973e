package manifest_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/crucible-engine/crucible/core/manifest"
)

func FuzzParse(f *testing.F) {
	files, err := filepath.Glob("testdata/*.txtar")
	check(f, err)
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		check(f, err)
		for _, a := range archive.Files {
			if strings.HasSuffix(a.Name, ".toml") {
				f.Add([]byte(complete(string(a.Data))))
			}
		}
	}
	f.Add([]byte(whole))
	f.Add([]byte(sections))
	dir := newPack(f)
	path := filepath.Join(dir, "crucible.toml")
	f.Fuzz(func(t *testing.T, text []byte) {
		m, list := manifest.Parse(path, text)
		if (m == nil) != list.HasErrors() {
			t.Fatalf("manifest %v with %v", m, list)
		}
		for _, d := range list {
			if d.File != path || len(d.String()) > 10_000 || strings.ContainsAny(d.String(), "\n\x00\x1b") {
				t.Fatalf("diagnostic %q", d)
			}
		}
		if again, _ := manifest.Parse(path, text); (again == nil) != (m == nil) {
			t.Fatal("two answers")
		}
		if m != nil {
			checkManifest(t, dir, m)
			checkRecovery(t, path, text)
		}
	})
}

// checkRecovery puts faults around a text that is accepted: each is found, and
// nothing else is.
func checkRecovery(t *testing.T, path string, text []byte) {
	t.Helper()
	for name, tc := range map[string]struct {
		before, after string
		want          int
	}{
		"syntax":     {"zz = x\n", "\nzz = \"", 2},
		"two before": {"zz = x\nzz\n", "", 2},
		"twice":      {"zz = 1\nzz = 2\n", "", 1},
	} {
		around := tc.before + string(text) + tc.after
		if len(around) > manifest.MaxText {
			return
		}
		if _, list := manifest.Parse(path, []byte(around)); len(list) != tc.want {
			t.Fatalf("%s: %v", name, list)
		}
	}
}

// checkManifest holds whatever was accepted against what everything later
// relies on.
func checkManifest(t *testing.T, dir string, m *manifest.Manifest) {
	t.Helper()
	switch {
	case m.Dir != dir, m.Judge != nil && m.Judge.MeasureCmd == "", m.Repo == nil && m.Workflow.Type != manifest.Playbook:
		t.Fatalf("incomplete: %+v", m)
	case m.Repo != nil && (m.Repo.URL == "") == (m.Repo.Path == ""):
		t.Fatalf("repo %+v", m.Repo)
	case (m.World.SnapshotCmd == "") != (m.World.RestoreCmd == ""):
		t.Fatalf("world %+v", m.World)
	case !filepath.IsAbs(m.Workspace.Dir), m.Workspace.Dir == "/", filepath.Clean(m.Workspace.Dir) != m.Workspace.Dir:
		t.Fatalf("workspace %q", m.Workspace.Dir)
	}
	var seen []string
	for _, e := range m.Workspace.Inject {
		parts := strings.Split(e.Dst, "/")
		if !filepath.IsLocal(e.Dst) || slices.ContainsFunc(parts, func(p string) bool { return p == "" || strings.EqualFold(p, ".git") }) {
			t.Fatalf("destination %q", e.Dst)
		}
		if !filepath.IsAbs(e.Src) || slices.Contains(seen, e.Dst) || e.Mode&^0o777 != 0 {
			t.Fatalf("inject %+v", e)
		}
		seen = append(seen, e.Dst)
	}
}

// FuzzExpand feeds inject strings to a fixed tree: a match never lies outside.
func FuzzExpand(f *testing.F) {
	for _, s := range []string{
		"measure.sh", "checks", "checks/", "**", "**/*.sh", "checks/**/.*", "[a-c]*", "[!a]*/*", "?*", "inner/**", "out*", "links/*", "{x}*",
		`\*`, "./.", "a/../b", "/etc/*", "checks/[", "**/**/**/**", "*/*/*/*", "wslink/*", ".*/**", "é*", "[^x]",
	} {
		f.Add(s)
	}
	dir := newPack(f)
	path := filepath.Join(dir, "crucible.toml")
	f.Fuzz(func(t *testing.T, pattern string) {
		if strings.Contains(pattern, "'''") || strings.HasSuffix(pattern, "'") {
			return
		}
		m, list := manifest.Parse(path, []byte(injectText("workspace", pattern)))
		if m == nil {
			if !list.HasErrors() {
				t.Fatal("neither manifest nor fault")
			}
			return
		}
		checkManifest(t, dir, m)
		if len(m.Workspace.Inject) == 0 {
			t.Fatalf("%q matches nothing and is accepted", pattern)
		}
		for _, e := range m.Workspace.Inject {
			real, err := filepath.EvalSymlinks(e.Src)
			check(t, err)
			if rel, err := filepath.Rel(dir, real); err != nil || !filepath.IsLocal(rel) {
				t.Fatalf("%q leads out to %s", pattern, real)
			}
		}
		if !slices.IsSorted(destinations(m)) {
			t.Fatalf("%q is not sorted: %q", pattern, destinations(m))
		}
	})
}
