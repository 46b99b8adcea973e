package gitmem_test

import (
	"bytes"
	"fmt"
	"os"
	"testing"
	"time"
)

// The calls of an iteration in a workspace of three files: a look at the change,
// then a snapshot or a restore.
func BenchmarkIteration(b *testing.B) {
	w := newBench(b, func(dir string) { writeFiles(b, dir, map[string]string{"counter.txt": "0\n", "measure.sh": "x"}) })
	token := w.snapshot("base").Token
	var diffs, snaps, restores []time.Duration
	for i := 0; b.Loop(); i++ {
		// The engine writes its report anew each time, under a temporary name.
		put(b, w.path("RESULTS.md.tmp"), "x")
		must(b, os.Rename(w.path("RESULTS.md.tmp"), w.path("RESULTS.md")))
		must(b, os.WriteFile(w.path("counter.txt"), fmt.Appendln(nil, i), 0o644))
		begun := time.Now()
		_, err := w.store.Diff(b.Context(), w.id, token, 1<<20, &bytes.Buffer{})
		must(b, err)
		diffs = append(diffs, time.Since(begun))
		begun = time.Now()
		if i%2 == 0 {
			token = w.snapshot("x").Token
			snaps = append(snaps, time.Since(begun))
		} else {
			w.restore(token)
			restores = append(restores, time.Since(begun))
		}
	}
	b.ReportMetric(ms(median(diffs)), "diff-ms")
	b.ReportMetric(ms(median(snaps)), "snapshot-ms")
	b.ReportMetric(ms(median(restores)), "restore-ms")
}
