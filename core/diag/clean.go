package diag

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits on the parts of a printed diagnostic, in bytes after escaping.
const (
	maxFile    = 4096
	maxPath    = 512
	maxMessage = 2048
)

// ellipsis marks where Clean cut a text.
const ellipsis = "…"

// Clean makes untrusted text fit to be shown on one line of a terminal. Control
// characters, line ends, format characters (such as those that turn the
// direction of text) and invalid UTF-8 become Go escapes; a result longer than
// limit bytes is cut at a character and marked with "…".
func Clean(text string, limit int) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		shown := text[i : i+size]
		if r == utf8.RuneError && size == 1 || !unicode.IsPrint(r) {
			shown = strings.Trim(strconv.QuoteToGraphic(shown), `"`)
		}
		if b.Len()+len(shown) > limit {
			b.WriteString(ellipsis)
			break
		}
		b.WriteString(shown)
		i += size
	}
	return b.String()
}

// Quote is Clean in double quotes, for a name or value inside a message.
func Quote(text string, limit int) string {
	return `"` + Clean(text, limit) + `"`
}
