package wire_test

import (
	"strings"
	"testing"

	"github.com/crucible-engine/crucible/core/wire"
)

func events() map[string]wire.Event {
	score := 41.5
	return map[string]wire.Event{
		"raw": wire.Agent{Event: wire.Raw{Text: "ok  github.com/example/project/pkg  0.123s  coverage: 81.2% of statements", Stream: wire.Stdout}},
		"row": wire.Row{Row: wire.RowData{Iter: 3, Decision: wire.DecisionKeep, Note: "inline the hot path", Score: &score,
			Diff: strings.Repeat("+\tif x < y && y > z {\n", 500), KeptSnap: "3c9e"}},
		"phase": wire.Phase{Phase: wire.PhaseIteration, Iter: 3},
	}
}

func BenchmarkAppend(b *testing.B) {
	for name, e := range events() {
		b.Run(name, func(b *testing.B) {
			var buf []byte
			var err error
			b.ReportAllocs()
			for b.Loop() {
				if buf, err = wire.Append(buf[:0], e); err != nil {
					b.Fatal(err)
				}
			}
			b.SetBytes(int64(len(buf)))
		})
	}
}

func BenchmarkDecode(b *testing.B) {
	for name, e := range events() {
		line, err := wire.Encode(e)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(line)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := wire.Decode(line); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
