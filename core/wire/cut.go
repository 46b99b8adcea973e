package wire

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Bounds of texts.
const (
	// MaxDiff is how much of a candidate's diff a row carries, in bytes.
	MaxDiff = 200_000
	// MaxNote is the length of a row's note, in characters.
	MaxNote = 120
	// maxText and maxLabel bound the texts of an agent's events, maxFree its
	// free-form JSON, all in bytes; maxAgentItems bounds its lists.
	maxText       = 1 << 20
	maxLabel      = 1 << 10
	maxFree       = 16 << 10
	maxAgentItems = 100
	// maxToolIO bounds what is recorded of a tool's input and of its result.
	maxToolIO = 2048
)

// Cut is s, or its first limit bytes without a part of a character.
func Cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	end := limit
	// A character has at most four bytes; more steps back mean it is not UTF-8.
	for back := 0; back < utf8.UTFMax-1 && end > 0 && !utf8.RuneStart(s[end]); back++ {
		end--
	}
	return s[:end]
}

// CutDiff bounds the diff of a row: what is over MaxDiff is cut at a character,
// and a last line says so.
func CutDiff(diff string) string {
	if len(diff) <= MaxDiff {
		return diff
	}
	return Cut(diff, MaxDiff) + fmt.Sprintf("\n[diff cut at %d of %d bytes]\n", MaxDiff, len(diff))
}

// FoldNote makes a row's note of a candidate's own description: all white space
// becomes single blanks, and the first MaxNote characters remain.
func FoldNote(text string) string {
	// Only the beginning can matter; a description may be large.
	folded := strings.Join(strings.Fields(Cut(text, 64<<10)), " ")
	n := 0
	for i := range folded {
		if n == MaxNote {
			return folded[:i]
		}
		n++
	}
	return folded
}
