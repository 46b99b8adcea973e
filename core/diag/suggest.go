package diag

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agext/levenshtein"
)

// maxWord bounds the words that are compared, in characters: the work grows
// with the product of their lengths.
const maxWord = 64

// Suggest finds the candidate that word was most likely meant to be. It allows
// one edit in a word of up to four characters, two in one of up to eight and
// three in a longer one; case, and the difference between "-", "_" and none,
// cost nothing, and the same characters in another order count as one edit. Of several that are equally near the first one in candidates
// wins. It reports false when nothing is near enough.
func Suggest(word string, candidates []string) (string, bool) {
	n := utf8.RuneCountInString(word)
	if n == 0 || n > maxWord {
		return "", false
	}
	limit := 3
	switch {
	case n <= 4:
		limit = 1
	case n <= 8:
		limit = 2
	}
	folded := fold(word)
	best, found := "", false
	for _, c := range candidates {
		if utf8.RuneCountInString(c) > maxWord {
			continue
		}
		distance := levenshtein.Distance(folded, fold(c), nil)
		if distance > 1 && sorted(folded) == sorted(fold(c)) {
			distance = 1
		}
		// A suggestion that shares no character with the word helps nobody.
		if distance > limit || distance >= n {
			continue
		}
		best, found, limit = c, true, distance-1
		if distance == 0 {
			break
		}
	}
	return best, found
}

func sorted(word string) string {
	r := []rune(word)
	slices.Sort(r)
	return string(r)
}

func fold(word string) string {
	return strings.NewReplacer("-", "", "_", "", " ", "").Replace(strings.ToLower(word))
}
