//go:build linux

package proc_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crucible-engine/crucible/sdk/proc"
)

func TestLongLines(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, input string
		want        []proc.Line
	}{
		{"at the limit", "12345678\nx\n", []proc.Line{{Text: "12345678"}, {Text: "x"}}},
		{"at the limit with carriage return", "12345678\r\nx\n", []proc.Line{{Text: "12345678"}, {Text: "x"}}},
		{"one over", "123456789\nx\n", []proc.Line{{Text: "12345678", Truncated: true}, {Text: "x"}}},
		{"one over with carriage return", "123456789\r\nx\n", []proc.Line{{Text: "12345678", Truncated: true}, {Text: "x"}}},
		{"far over", strings.Repeat("y", 100000) + "\nx", []proc.Line{{Text: "yyyyyyyy", Truncated: true}, {Text: "x"}}},
		{"never ends", strings.Repeat("y", 100000), []proc.Line{{Text: "yyyyyyyy", Truncated: true}}},
		{"cut within a character", "1234567é9\n", []proc.Line{{Text: "1234567", Truncated: true}}},
		{"cut after a character", "123456é9\n", []proc.Line{{Text: "123456é", Truncated: true}}},
		{"not text", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\n", []proc.Line{{Text: "\xff\xff\xff\xff\xff\xff\xff\xff", Truncated: true}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var got record
			c := got.attach(script("cat"))
			c.Stdin, c.MaxLine = strings.NewReader(test.input), 8
			if _, err := proc.Run(t.Context(), c); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got.out); diff != "" {
				t.Errorf("lines (-want +got):\n%s", diff)
			}
		})
	}
}

func TestEndlessLineIsNotHeld(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var got record
	if _, err := proc.Run(t.Context(), got.attach(script("head -c 100000000 /dev/zero"))); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if len(got.out) != 1 || len(got.out[0].Text) != 1<<20 || !got.out[0].Truncated {
		t.Errorf("got %d lines, want one of 1 MiB, cut", len(got.out))
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 16<<20 {
		t.Errorf("allocated %d bytes for a line of 100 MB", used)
	}
}

func TestRawOutput(t *testing.T) {
	t.Parallel()
	input := bytes.Repeat([]byte("\x00\n\xff\r\n"), 100000)
	var out bytes.Buffer
	var errs record
	c := errs.attach(script("cat; echo done >&2"))
	c.Stdin, c.StdoutTo = bytes.NewReader(input), &out
	if _, err := proc.Run(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(out.Bytes(), input) {
		t.Errorf("output differs: %d bytes, want %d", out.Len(), len(input))
	}
	if len(errs.out) != 0 || texts(errs.err) != "done" {
		t.Errorf("lines: got %q and %q", texts(errs.out), texts(errs.err))
	}
}

func TestFilesAreHandedOver(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	in, err := os.Open("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := os.Create(filepath.Join(dir, "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	c := script("cat")
	c.Stdin, c.StdoutTo = in, out
	if _, err := proc.Run(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	want, _ := os.ReadFile("doc.go")
	got, _ := os.ReadFile(out.Name())
	if !bytes.Equal(got, want) {
		t.Errorf("got %d bytes, want %d", len(got), len(want))
	}
}

func TestCallsAreNeverConcurrent(t *testing.T) {
	t.Parallel()
	var inside, seen int // the race detector looks at these
	call := func(proc.Line) {
		inside++
		if inside != 1 {
			t.Error("two calls at a time")
		}
		seen++
		inside--
	}
	c := script("for i in 1 2 3 4; do seq 500 & seq 500 >&2 & done; wait")
	c.Stdout, c.Stderr = call, call
	if _, err := proc.Run(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if seen != 4000 {
		t.Errorf("lines: got %d, want 4000", seen)
	}
}

func TestCapture(t *testing.T) {
	t.Parallel()
	const all = "abcdefghijklmnopqrstuvwxyz"
	tests := []struct {
		head, tail int
		want       string
	}{
		{0, 0, "[26 bytes omitted]"},
		{3, 0, "abc[23 bytes omitted]"},
		{0, 3, "[23 bytes omitted]xyz"},
		{3, 4, "abc[19 bytes omitted]wxyz"},
		{13, 13, all},
		{30, 30, all},
		{0, 26, all},
		{1, 24, "a[1 bytes omitted]cdefghijklmnopqrstuvwxyz"},
	}
	for _, test := range tests {
		for size := 1; size <= len(all); size++ {
			t.Run(fmt.Sprintf("%d+%d in pieces of %d", test.head, test.tail, size), func(t *testing.T) {
				t.Parallel()
				c := proc.NewCapture(test.head, test.tail)
				for rest := all; rest != ""; {
					n := min(size, len(rest))
					_, _ = c.Write([]byte(rest[:n]))
					rest = rest[n:]
				}
				if got := c.String(); got != test.want {
					t.Errorf("got %q, want %q", got, test.want)
				}
				if got := c.Total() - c.Omitted(); got != int64(len(c.Bytes())) {
					t.Errorf("kept: got %d, want %d", got, len(c.Bytes()))
				}
			})
		}
	}
}
