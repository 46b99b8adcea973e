package judge

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/crucible-engine/crucible/core/decide"
	"github.com/crucible-engine/crucible/sdk/proc"
)

const (
	// MaxNote is the most bytes of a note. A longer one is cut, with a mark.
	MaxNote = 1000
	// tailSize is how much of stderr is kept, noteTail how much of it a note gets.
	tailSize = 4 << 10
	noteTail = 400
)

const cutMark = "…"

// defaultNote is the note of a reading that has none of its own.
func defaultNote(reading decide.Reading, objective string) string {
	switch {
	case !reading.Valid:
		return "invalid"
	case reading.Score == nil:
		return "no score"
	default:
		return oneLine(objective+" = "+formatScore(*reading.Score), MaxNote)
	}
}

// tell adds the end of stderr to what is to be told.
func tell(what string, stderr *proc.Capture) string {
	tail := oneLine(string(stderr.Bytes()), 4*tailSize) // room for what bad bytes become
	if tail == "" {
		return what
	}
	if over := len(tail) - noteTail; over > 0 || stderr.Omitted() > 0 {
		tail = cutMark + strings.TrimLeftFunc(tail[max(over, 0):], func(r rune) bool {
			return r == utf8.RuneError || unicode.IsSpace(r)
		})
	}
	return what + "; stderr: " + tail
}

// oneLine makes a text fit for one line of a log: control characters and the
// marks that reverse the reading direction become spaces, runs of spaces one,
// and what is longer than limit bytes is cut.
func oneLine(text string, limit int) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.IsSpace(r) || unicode.Is(unicode.Bidi_Control, r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
	text = strings.Join(strings.Fields(text), " ")
	if len(text) <= limit {
		return text
	}
	end := limit - len(cutMark)
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + cutMark
}
