package mask

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// maxEncoded is the longest value whose encoded forms are looked for; a longer
// one, a whole file, is found as it is and line by line.
const maxEncoded = 16 << 10

// forms are all texts that give a value away.
func forms(value string) []string {
	value = strings.TrimSpace(value)
	if len(value) < MinLength {
		return nil
	}
	out := formsOf(value)
	if !strings.ContainsAny(value, "\r\n") {
		return out
	}
	for line := range strings.FieldsFuncSeq(value, func(r rune) bool { return r == '\n' || r == '\r' }) {
		if line = strings.TrimSpace(line); len(line) >= MinLineLength {
			out = append(out, formsOf(line)...)
		}
	}
	return out
}

func formsOf(v string) []string {
	out := []string{v}
	if len(v) > maxEncoded {
		return out
	}
	out = append(out, hex.EncodeToString([]byte(v)), strings.ToUpper(hex.EncodeToString([]byte(v))))
	out = append(out, strings.ReplaceAll(v, "'", `'\''`))
	out = append(out, percent(v)...)
	out = append(out, inJSON(v)...)
	return append(out, inBase64(v)...)
}

func percent(v string) []string {
	var out []string
	for _, p := range []string{url.QueryEscape(v), url.PathEscape(v)} {
		out = append(out, p, lowerPercent(p))
	}
	return out
}

// lowerPercent writes the digits of %2F in lower case.
func lowerPercent(s string) string {
	b := []byte(s)
	for i := 0; i+2 < len(b); i++ {
		if b[i] == '%' {
			copy(b[i:], bytes.ToLower(b[i:i+3]))
			i += 2
		}
	}
	return string(b)
}

// inJSON is v inside a JSON string as the usual encoders write it: with and
// without the escapes for HTML, with escaped slashes, and in ASCII only.
func inJSON(v string) []string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(v) != nil {
		return nil
	}
	bare := strings.TrimSuffix(b.String(), "\n")
	bare = bare[1 : len(bare)-1]
	out := []string{bare, strings.ReplaceAll(bare, "/", `\/`), ascii(bare)}
	if html, err := json.Marshal(v); err == nil {
		out = append(out, string(html[1:len(html)-1]))
	}
	return out
}

// ascii writes every character beyond ASCII as \uxxxx.
func ascii(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r < utf8.RuneSelf {
			b.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&b, `\u%04x`, unit)
		}
	}
	return b.String()
}

// inBase64 is v in both alphabets: whole with and without padding, and the part
// that stays the same whatever stands before and after v in the encoded text.
func inBase64(v string) []string {
	var out []string
	for _, enc := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
		whole := enc.EncodeToString([]byte(v))
		out = append(out, whole, strings.TrimRight(whole, "="))
		for before := range 3 {
			if inner := invariant(enc, v, before); len(inner) >= MinLength {
				out = append(out, inner)
			}
		}
	}
	return out
}

// invariant encodes v after a number of other bytes and drops the characters
// that carry bits of these, or that would carry bits of what follows v.
func invariant(enc *base64.Encoding, v string, before int) string {
	text := enc.EncodeToString(append(make([]byte, before), v...))
	first := (before*8 + 5) / 6
	last := (before + len(v)) * 8 / 6
	return text[first:last]
}
