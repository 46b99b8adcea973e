package manifest_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crucible-engine/crucible/core/manifest"
)

func injectText(dir string, strs ...string) string {
	quoted := make([]string, len(strs))
	for i, s := range strs {
		quoted[i] = fmt.Sprintf("'''%s'''", s)
	}
	return complete("[workspace]\ndir = \"" + dir + "\"\ninject = [" + strings.Join(quoted, ", ") + "]\n")
}

func destinations(m *manifest.Manifest) []string {
	var out []string
	for _, e := range m.Workspace.Inject {
		out = append(out, e.Dst)
	}
	return out
}

func TestExpand(t *testing.T) {
	t.Parallel()
	dir := newPack(t)
	for _, tc := range []struct {
		pattern string
		want    []string
	}{
		{"measure.sh", []string{"measure.sh"}},
		{"./measure.sh", []string{"measure.sh"}},
		{".//checks/./a.sh", []string{"checks/a.sh"}},
		{"{x}.txt", []string{"{x}.txt"}},
		{"{x}.tx?", []string{"{x}.txt"}},
		{"{a,measure}.s*", nil},
		{"checks", []string{"checks/.dot/d.sh", "checks/.hidden", "checks/a.sh", "checks/b.txt", "checks/deep/c.sh"}},
		{"checks/", []string{"checks/.dot/d.sh", "checks/.hidden", "checks/a.sh", "checks/b.txt", "checks/deep/c.sh"}},
		{"checks/*", []string{"checks/a.sh", "checks/b.txt"}},
		{"checks/**", []string{"checks/a.sh", "checks/b.txt", "checks/deep/c.sh"}},
		{"checks/**/*", []string{"checks/a.sh", "checks/b.txt", "checks/deep/c.sh"}},
		{"checks/**/**/*.sh", []string{"checks/a.sh", "checks/deep/c.sh"}},
		{"checks/.*", []string{"checks/.hidden"}},
		{"checks/.*/*", []string{"checks/.dot/d.sh"}},
		{"checks/**/.*/*.sh", []string{"checks/.dot/d.sh"}},
		{"checks/[.]hidden", nil},
		{"checks/?hidden", nil},
		{"checks/[!b].*", []string{"checks/a.sh"}},
		{"checks/[a-b].*", []string{"checks/a.sh", "checks/b.txt"}},
		{"checks/?.sh", []string{"checks/a.sh"}},
		{"CHECKS/*", nil},
		{"check*/deep/*", []string{"checks/deep/c.sh"}},
		{"**/*.sh", []string{"checks/a.sh", "checks/deep/c.sh", "inner/link.sh", "measure.sh"}},
		{"*/w.sh", nil},
		{"workspace/*.sh", []string{"workspace/w.sh"}},
		{"state", []string{"state/s.sh"}},
		{"inner", []string{"inner/link.sh"}},
		{"inner/dirlink", []string{"inner/dirlink/c.sh"}},
		{"inner/dirlink/*.sh", []string{"inner/dirlink/c.sh"}},
		{"inner/*/*.sh", nil},
		{"wslink/w.sh", []string{"wslink/w.sh"}},
		{`checks/\*`, nil},
		{"che**", nil},
	} {
		t.Run(tc.pattern, func(t *testing.T) {
			t.Parallel()
			m, list := manifest.Parse(filepath.Join(dir, "crucible.toml"), []byte(injectText("workspace", tc.pattern)))
			if (m == nil) != (tc.want == nil) {
				t.Fatalf("manifest %v: %v", m, list)
			}
			if m == nil {
				if !strings.Contains(list.Error(), "matches no file") {
					t.Error(list)
				}
				return
			}
			if diff := cmp.Diff(tc.want, destinations(m)); diff != "" {
				t.Error(diff)
			}
			for _, e := range m.Workspace.Inject {
				if e.Src != filepath.Join(dir, e.Dst) || !e.Frozen {
					t.Errorf("%+v", e)
				}
			}
		})
	}
}

func TestExpandSortsWithinAStringOnly(t *testing.T) {
	t.Parallel()
	m := load(t, newPack(t), injectText("workspace", "measure.sh", "checks/*", "GOAL.md"))
	want := []string{"measure.sh", "checks/a.sh", "checks/b.txt", "GOAL.md"}
	if diff := cmp.Diff(want, destinations(m)); diff != "" {
		t.Error(diff)
	}
}

func TestExpandWarnings(t *testing.T) {
	t.Parallel()
	m := load(t, newPack(t), injectText("workspace", "inner"))
	var got []string
	for _, w := range m.Warnings {
		got = append(got, w.Message)
	}
	want := []string{
		`"inner/dirlink" is a symbolic link to a directory; it is not followed`,
		`"inner/gone" is a symbolic link that leads nowhere; it is left out`,
	}
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestExpandInItsOwnWorkspace: the workspace is not left out of itself.
func TestExpandInItsOwnWorkspace(t *testing.T) {
	t.Parallel()
	m := load(t, newPack(t), injectText(".", "*.sh", "workspace/*"))
	if diff := cmp.Diff([]string{"measure.sh", "workspace/w.sh"}, destinations(m)); diff != "" {
		t.Error(diff)
	}
}

func TestExpandModes(t *testing.T) {
	t.Parallel()
	dir := newPack(t)
	check(t, os.Chmod(filepath.Join(dir, "measure.sh"), 0o751))
	m := load(t, dir, injectText("workspace", "measure.sh"))
	if mode := m.Workspace.Inject[0].Mode; mode != 0o751 {
		t.Errorf("mode %o", mode)
	}
}

// TestExpandOddNames: names with spaces, line ends and bytes that are no UTF-8
// are names like any other.
func TestExpandOddNames(t *testing.T) {
	t.Parallel()
	dir := newPack(t)
	names := []string{"a b", "a\nb", "é", "\xff", "-x", "a\\b", "a\"b"}
	for _, n := range names {
		write(t, filepath.Join(dir, "odd", n), n)
	}
	slices.Sort(names)
	for _, pattern := range []string{"odd", "odd/*"} {
		m := load(t, dir, injectText("workspace", pattern))
		got := destinations(m)
		for i := range got {
			got[i] = strings.TrimPrefix(got[i], "odd/")
		}
		if diff := cmp.Diff(names, got); diff != "" {
			t.Errorf("%s: %s", pattern, diff)
		}
	}
}

func TestExpandIsBounded(t *testing.T) {
	t.Parallel()
	dir := newPack(t)
	deep := filepath.Join(dir, "deep")
	for range 130 {
		deep = filepath.Join(deep, "d")
	}
	check(t, os.MkdirAll(deep, 0o755))
	check(t, os.Mkdir(filepath.Join(dir, "many"), 0o755))
	for i := range manifest.MaxInjects + 1 {
		check(t, os.WriteFile(filepath.Join(dir, "many", fmt.Sprintf("%05d", i)), nil, 0o644))
	}
	check(t, os.Truncate(filepath.Join(dir, "GOAL.md"), manifest.MaxInjectBytes+1))
	for _, tc := range []struct{ name, pattern, want string }{
		{"depth", "deep", "reaches directories nested more than 128 deep"},
		{"number", "many", "matches more than 10000 files"},
		{"bytes", "GOAL.md", "the injects hold more than 4294967296 bytes"},
		{"steps", strings.Repeat("a/", 70) + "*", "has too many components"},
		{"length", strings.Repeat("a/", 2000), "more than the limit of"},
	} {
		_, list := manifest.Parse(filepath.Join(dir, "crucible.toml"), []byte(injectText("workspace", tc.pattern)))
		if len(list) != 1 || !strings.Contains(list.Error(), tc.want) {
			t.Errorf("%s: %v", tc.name, list)
		}
	}
	// One file less is allowed, in one string or over several.
	check(t, os.Remove(filepath.Join(dir, "many", "00000")))
	m := load(t, dir, injectText("workspace", "many"))
	if len(m.Workspace.Inject) != manifest.MaxInjects {
		t.Errorf("%d injects", len(m.Workspace.Inject))
	}
	_, list := manifest.Parse(filepath.Join(dir, "crucible.toml"), []byte(injectText("workspace", "many", "measure.sh")))
	if !strings.Contains(list.Error(), "more than 10000 files") {
		t.Error(list)
	}
}
