package manifest_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/rogpeppe/go-internal/txtar"
	"pgregory.net/rapid"

	"github.com/crucible-engine/crucible/core/manifest"
)

// sameValue compares two manifests by what they say, not by their text.
func sameValue() cmp.Options {
	return cmp.Options{
		cmpopts.IgnoreUnexported(manifest.Manifest{}, manifest.EnvVar{}),
		cmpopts.IgnoreFields(manifest.Manifest{}, "Text", "Warnings"), cmpopts.IgnoreFields(manifest.Workflow{}, "Tasks", "Params"),
		cmpopts.SortSlices(func(a, b manifest.EnvVar) bool { return a.Name < b.Name }),
		cmpopts.SortSlices(func(a, b manifest.Build) bool { return a.Name < b.Name }),
		cmpopts.EquateEmpty(),
	}
}

// roundTrip formats a manifest and parses it again.
func roundTrip(t testing.TB, path string, m *manifest.Manifest) {
	t.Helper()
	text, err := m.Format()
	if err != nil {
		t.Fatal(err)
	}
	again, list := manifest.Parse(path, text)
	if list.HasErrors() {
		t.Fatalf("%v\n%s", list, text)
	}
	if diff := cmp.Diff(m, again, sameValue()); diff != "" {
		t.Fatalf("(-want +got):\n%s\n%s", diff, text)
	}
	if twice, err := again.Format(); err != nil || string(twice) != string(text) {
		t.Fatalf("another form the second time: %v\n%s\n%s", err, text, twice)
	}
}

// Every manifest of the cases that is accepted has one form, which says the same.
func TestFormatCases(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.txtar")
	check(t, err)
	dir := newPack(t)
	path := filepath.Join(dir, "crucible.toml")
	formatted := 0
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		check(t, err)
		for _, f := range archive.Files {
			if !strings.HasSuffix(f.Name, ".toml") {
				continue
			}
			if m, list := manifest.Parse(path, []byte(complete(string(f.Data)))); !list.HasErrors() {
				roundTrip(t, path, m)
				formatted++
			}
		}
	}
	if m, list := manifest.Parse(path, []byte(whole)); list.HasErrors() {
		t.Error(list)
	} else {
		roundTrip(t, path, m)
	}
	if formatted < 20 {
		t.Errorf("only %d manifests were formatted", formatted)
	}
}

// Any mix of valid sections does as well, with any text in it that TOML can hold.
func TestFormatProperty(t *testing.T) {
	t.Parallel()
	dir := newPack(t)
	path := filepath.Join(dir, "crucible.toml")
	rapid.Check(t, func(r *rapid.T) {
		quote := func(label string) string {
			s := rapid.StringN(1, 40, -1).Filter(func(s string) bool {
				return strings.TrimSpace(s) != "" && !strings.ContainsRune(s, 0) && !strings.Contains(s, "${")
			}).Draw(r, label)
			return fmt.Sprintf("\"\"\"\n%s\"\"\"", strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\r", `\r`, "\x7f", `\u007f`).Replace(escapeControls(s)))
		}
		var b strings.Builder
		fmt.Fprintf(&b, "edition = %d\n[repo]\npath = \".\"\n[agent]\nbackend = \"command\"\nagent_cmd = %s\ngoal = %s\n", rapid.IntRange(1, 2).Draw(r, "edition"), quote("cmd"), quote("goal"))
		fmt.Fprintf(&b, "[agent.env]\nA = %s\n", quote("env"))
		fmt.Fprintf(&b, "[judge]\nmeasure_cmd = %s\ndirection = %q\nmeasure_timeout = \"%ds\"\n", quote("measure"),
			rapid.SampledFrom([]string{"lower", "higher"}).Draw(r, "direction"), rapid.IntRange(1, 1e6).Draw(r, "timeout"))
		if rapid.Bool().Draw(r, "selftest") {
			fmt.Fprintf(&b, "[judge.selftest]\ngood_cmd = %s\nbad_cmd = %s\nruns = %d\n", quote("good"), quote("bad"), rapid.IntRange(1, 1000).Draw(r, "runs"))
		}
		if rapid.Bool().Draw(r, "egress") {
			fmt.Fprintf(&b, "[agent.openshell]\ninherit_defaults = %v\nendpoints = [\"a%d.example:%d:read-only\"]\n", rapid.Bool().Draw(r, "inherit"),
				rapid.IntRange(0, 9).Draw(r, "host"), rapid.IntRange(1, 65535).Draw(r, "port"))
		}
		if rapid.Bool().Draw(r, "outputs") {
			fmt.Fprintf(&b, "[outputs.gpu-capture]\ncount = %d\n[outputs.draft-pr]\ncount = 1\ntarget = { open = { scope = \"o/r-*\" } }\n", rapid.Uint32().Draw(r, "count"))
		}
		m, list := manifest.Parse(path, []byte(b.String()))
		if list.HasErrors() {
			t.Fatalf("%v\n%s", list, b.String())
		}
		roundTrip(t, path, m)
	})
}

// escapeControls writes control characters as TOML wants them.
func escapeControls(s string) string {
	var b strings.Builder
	for _, c := range s {
		if c < ' ' && c != '\n' && c != '\t' {
			b.WriteRune('.')
		} else {
			b.WriteRune(c)
		}
	}
	return b.String()
}
