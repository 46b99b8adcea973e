package report

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/crucible-engine/crucible/core/wire"
)

// clean makes a text harmless on a terminal: white space becomes a blank, every
// other character that does not print becomes its number in text (\x1b, \u202e),
// a byte that is not UTF-8 becomes U+FFFD. Thus nothing that an agent prints can
// move the cursor, set the title, or reverse the rest of a line.
func clean(s string) string {
	if harmless(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	for _, r := range s {
		switch {
		case unicode.IsPrint(r):
			b.WriteRune(r)
		case unicode.IsSpace(r):
			b.WriteByte(' ')
		case r < utf8.RuneSelf:
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

func harmless(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// oneLine is a text without line breaks and runs of blanks, clean, and cut to a
// number of characters; a cut text ends in an ellipsis.
func oneLine(s string, limit int) string {
	// A character has at most four bytes: more of s cannot be seen.
	const spare = 4 << 10
	cut := false
	if most := limit*utf8.UTFMax + spare; len(s) > most {
		s, cut = wire.Cut(s, most), true
	}
	s = strings.Join(strings.Fields(clean(s)), " ")
	n := 0
	for i := range s {
		if n == limit-1 {
			if cut || utf8.RuneCountInString(s[i:]) > 1 {
				return s[:i] + "…"
			}
			return s
		}
		n++
	}
	if cut {
		return s + "…"
	}
	return s
}

// fit cuts a clean text to a number of terminal columns.
func fit(s string, columns int) string {
	used := 0
	for i, r := range s {
		used += width(r)
		if used > columns {
			return s[:i]
		}
	}
	return s
}

// width is the number of columns a character takes at most. Too many only makes
// a line shorter; too few would make it wrap and spoil the redraw.
func width(r rune) int {
	if r < 0x1100 || r >= 0x2010 && r <= 0x2027 {
		return 1
	}
	return 2
}
