package manifest_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/crucible-engine/crucible/core/manifest"
)

// BenchmarkParse reads a manifest of nearly 1 MiB that injects 1,000 files, half
// of them named one by one and half by a pattern.
func BenchmarkParse(b *testing.B) {
	dir := newPack(b)
	var text strings.Builder
	text.WriteString("[workspace]\ninject = [\"many/b*\",\n")
	for i := range 500 {
		write(b, filepath.Join(dir, fmt.Sprintf("many/a%d", i)), "a")
		write(b, filepath.Join(dir, fmt.Sprintf("many/b%d", i)), "b")
		fmt.Fprintf(&text, "  { src = \"many/a%d\", dst = \"gate/a%d\" },\n", i, i)
	}
	text.WriteString("]\n")
	whole := complete(text.String())
	whole += strings.Repeat("# a comment of forty characters, no less\n", (manifest.MaxText-len(whole))/41)
	for b.Loop() {
		m, list := manifest.Parse(filepath.Join(dir, "crucible.toml"), []byte(whole))
		if m == nil || len(m.Workspace.Inject) != 1000 {
			b.Fatal(list)
		}
	}
}
