package mask_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/crucible-engine/crucible/core/mask"
)

func secrets(n int) []string {
	r := rand.New(rand.NewPCG(1, 2))
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf("ghp_%016x%016x", r.Uint64(), r.Uint64())
	}
	return out
}

// BenchmarkMask masks a line of 1 MiB, 20 secrets known. Ordinary output, and
// the worst case: text that is nearly a secret all the time.
func BenchmarkMask(b *testing.B) {
	values := secrets(20)
	m := mask.New(values)
	texts := map[string]string{
		"text": strings.Repeat("ok  github.com/example/project/pkg 0.123s coverage: 81.2% of statements\n", 1<<20/74),
		"near": strings.Repeat(values[0][:len(values[0])-1], 1<<20/35),
		"hits": strings.Repeat(values[3]+" and ", 1<<20/41),
	}
	for name, text := range texts {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				m.Mask(text)
			}
		})
	}
}

func BenchmarkNew(b *testing.B) {
	values := secrets(20)
	for b.Loop() {
		mask.New(values)
	}
}
