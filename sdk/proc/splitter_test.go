package proc

import (
	"bytes"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// However a stream is cut into pieces, the lines are the same, and they are those
// of the whole text.
func FuzzSplitter(f *testing.F) {
	f.Add([]byte("a\nb\r\n\nc"), uint8(1), uint8(4))
	f.Add([]byte("1234567é9\nx"), uint8(3), uint8(8))
	f.Add([]byte("12345678\r\n12345678\r9\n\r\n\r"), uint8(2), uint8(8))
	f.Add([]byte("\xff\xe2\x82\n\xe2\x82\xac"), uint8(1), uint8(2))
	f.Fuzz(func(t *testing.T, stream []byte, piece, limit uint8) {
		piece, limit = max(piece, 1), max(limit, 1)
		var got []Line
		s := newSplitter(int(limit), &sync.Mutex{}, func(line Line) { got = append(got, line) })
		for rest := stream; len(rest) > 0; {
			n := min(int(piece), len(rest))
			if m, err := s.Write(rest[:n]); m != n || err != nil {
				t.Fatalf("write: got %d, %v", m, err)
			}
			rest = rest[n:]
			if len(s.pending) > int(limit)+1 {
				t.Fatalf("holds %d bytes, the limit is %d", len(s.pending), limit)
			}
		}
		s.flush()
		if diff := cmp.Diff(linesOf(stream, int(limit)), got); diff != "" {
			t.Errorf("lines (-want +got):\n%s", diff)
		}
	})
}

// linesOf cuts a whole text into lines, the simple way.
func linesOf(text []byte, limit int) []Line {
	var lines []Line
	for line := range bytes.Lines(text) {
		line = bytes.TrimSuffix(line, []byte("\n"))
		whole := bytes.TrimSuffix(line, []byte("\r"))
		if len(whole) <= limit {
			lines = append(lines, Line{Text: string(whole)})
			continue
		}
		cut := string(line[:limit])
		for n := 1; n < utf8.UTFMax && n <= len(cut); n++ {
			if tail := cut[len(cut)-n:]; utf8.RuneStart(tail[0]) && !utf8.FullRuneInString(tail) {
				cut = strings.TrimSuffix(cut, tail)
				break
			}
		}
		lines = append(lines, Line{Text: cut, Truncated: true})
	}
	return lines
}
