package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMedian(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		samples []float64
		want    float64
	}{
		{[]float64{3}, 3},
		{[]float64{9, 1, 5}, 5},
		{[]float64{4, 1, 2, 9}, 3},
	} {
		if got := median(test.samples); got != test.want {
			t.Errorf("%v: got %v, want %v", test.samples, got, test.want)
		}
	}
}

func TestTable(t *testing.T) {
	t.Parallel()
	results := []result{
		ratio("loop", newSide("crucible", []float64{30, 15, 15}), newSide("script", []float64{10, 10, 11}), 1.6),
		ratio("start", newSide("crucible", []float64{130}), newSide("bare", []float64{100}), 1.3),
		ratio("start, processor time", newSide("crucible", []float64{30}), newSide("bare", []float64{10}), 0),
		amount("memory", newSide("crucible", []float64{151}), 150),
	}
	var out strings.Builder
	if err := writeTable(&out, "here", results); err != nil {
		t.Fatal(err)
	}
	const want = `here; medians

WHAT                   OURS      BARE      RATIO  TARGET     
loop                   15.0 ms   10.0 ms   1.50   <= 1.60    met
start                  130.0 ms  100.0 ms  1.30   <= 1.30    met
start, processor time  30.0 ms   10.0 ms   3.00              
memory                 151.0 MB                   <= 150 MB  MISSED
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("table (-want +got):\n%s", diff)
	}
}

func TestFirstOfEachSideTakesTurns(t *testing.T) {
	t.Parallel()
	var order strings.Builder
	note := func(mark string) func(int) (float64, error) {
		return func(int) (float64, error) { order.WriteString(mark); return 0, nil }
	}
	l := &lab{rounds: 3}
	a, b, err := l.compare(note("a"), note("b"))
	if err != nil || len(a.wall) != 3 || len(b.cpu) != 3 {
		t.Fatalf("got %v, %v, %v", a, b, err)
	}
	if order.String() != "abbaab" {
		t.Errorf("order: got %s, want abbaab", order.String())
	}
}
