package manifest_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/rogpeppe/go-internal/txtar"
	"pgregory.net/rapid"

	"github.com/crucible-engine/crucible/core/manifest"
)

// sameValue compares two manifests by what they say, not by their text. The order
// of named things is that of a file, and means nothing.
func sameValue() cmp.Options {
	return cmp.Options{
		cmpopts.IgnoreUnexported(manifest.Manifest{}, manifest.EnvVar{}),
		cmpopts.IgnoreFields(manifest.Manifest{}, "Text", "Warnings"),
		cmpopts.SortSlices(func(a, b manifest.EnvVar) bool { return a.Name < b.Name }),
		cmpopts.SortSlices(func(a, b manifest.Build) bool { return a.Name < b.Name }),
		cmpopts.SortSlices(func(a, b manifest.Param) bool { return a.Name < b.Name }),
		cmp.Transformer("plain", manifest.Value.Any),
		cmpopts.EquateEmpty(), cmpopts.EquateNaNs(),
	}
}

// roundTrip formats a manifest and parses it again.
func roundTrip(t testing.TB, path string, m *manifest.Manifest, options ...manifest.Option) {
	t.Helper()
	text, err := m.Format()
	if err != nil {
		t.Fatal(err)
	}
	again, list := manifest.Parse(path, text, options...)
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
	path := filepath.Join(newPack(t), "crucible.toml")
	env := environment(map[string]string{"A": "sesame"})
	rapid.Check(t, func(r *rapid.T) {
		g := generator{r, &strings.Builder{}}
		g.manifest()
		m, list := manifest.Parse(path, []byte(g.out.String()), env)
		if list.HasErrors() {
			t.Fatalf("%v\n%s", list, g.out)
		}
		roundTrip(t, path, m, env)
	})
}
