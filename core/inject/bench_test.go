package inject_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/crucible-engine/crucible/core/inject"
	"github.com/crucible-engine/crucible/core/manifest"
)

// BenchmarkApplyFrozen is what each measurement pays for 100 files of 10 KiB
// that are already in place.
func BenchmarkApplyFrozen(b *testing.B) {
	dir, ws := b.TempDir(), b.TempDir()
	var entries []manifest.Inject
	for i := range 100 {
		src := filepath.Join(dir, fmt.Sprint(i))
		write(b, src, strings.Repeat("x", 10<<10), 0o644)
		entries = append(entries, manifest.Inject{Src: src, Dst: fmt.Sprintf("gate/d%d/f%d", i%10, i), Frozen: true})
	}
	set, err := inject.Read(entries)
	check(b, err)
	check(b, set.Apply(b.Context(), ws))
	for b.Loop() {
		check(b, set.ApplyFrozen(b.Context(), ws))
	}
}
