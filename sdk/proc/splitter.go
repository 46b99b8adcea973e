package proc

import (
	"bytes"
	"sync"
	"unicode/utf8"
)

// splitter cuts a stream into lines of bounded length. It holds at most max
// bytes, whatever comes.
type splitter struct {
	max   int
	calls *sync.Mutex // held while emit runs; shared by the streams of a child
	emit  func(Line)

	pending []byte // the beginning of a line whose end has not come
	open    bool   // a line has begun
	cut     bool   // the line is longer than max
}

func newSplitter(limit int, calls *sync.Mutex, emit func(Line)) *splitter {
	return &splitter{max: limit, calls: calls, emit: emit}
}

// Write takes the next bytes of the stream. It never fails.
func (s *splitter) Write(data []byte) (int, error) {
	n := len(data)
	for {
		end := bytes.IndexByte(data, '\n')
		if end < 0 {
			break
		}
		s.add(data[:end])
		s.flushLine()
		data = data[end+1:]
	}
	if len(data) > 0 {
		s.add(data)
	}
	return n, nil
}

// add appends to the open line. One byte over max is kept, because it may be
// the carriage return of the line end.
func (s *splitter) add(data []byte) {
	s.open = true
	room := s.max + 1 - len(s.pending)
	if len(data) > room {
		data, s.cut = data[:room], true
	}
	s.pending = append(s.pending, data...)
}

func (s *splitter) flushLine() {
	text, cut := s.pending, s.cut
	if !cut {
		text = bytes.TrimSuffix(text, []byte("\r"))
	}
	if len(text) > s.max {
		text, cut = wholeRunes(text[:s.max]), true
	}
	line := Line{Text: string(text), Truncated: cut}
	s.pending, s.open, s.cut = s.pending[:0], false, false
	if cap(s.pending) > 64<<10 {
		s.pending = nil // one long line must not hold its memory for the whole run
	}
	s.calls.Lock()
	defer s.calls.Unlock()
	s.emit(line)
}

// flush delivers a last line that has no line end.
func (s *splitter) flush() {
	if s.open {
		s.flushLine()
	}
}

// wholeRunes drops the incomplete character that a cut may have left behind.
func wholeRunes(text []byte) []byte {
	for i := 1; i <= utf8.UTFMax && i <= len(text); i++ {
		if tail := text[len(text)-i:]; utf8.RuneStart(tail[0]) {
			if !utf8.FullRune(tail) {
				return text[:len(text)-i]
			}
			break
		}
	}
	return text
}
