package report

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestClean(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"":                        "",
		"plain ~ text":            "plain ~ text",
		"a\tb\nc\rd":              "a b c d",
		"\x1b[2J\x1b]0;title\x07": `\x1b[2J\x1b]0;title\x07`,
		"\x9b31m":                 "\uFFFD31m", // a lone byte is not UTF-8
		"\u009b31m":               `\u009b31m`,
		"\x00\x7f\b":              `\x00\x7f\x08`,
		"a\u202eb\u2066c":         `a\u202eb\u2066c`,
		"zero\u200bwidth":         `zero\u200bwidth`,
		"line\u2028sep":           "line sep",
		"no\u00a0break":           "no break",
		"Größe 大小 😀":              "Größe 大小 😀",
		"bad\xff\xfe":             "bad\uFFFD\uFFFD",
		"private\ue000":           `private\ue000`,
		"tag\U000e0041":           `tag\ue0041`,
	}
	for in, want := range tests {
		if got := clean(in); got != want {
			t.Errorf("clean(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestOneLine(t *testing.T) {
	t.Parallel()
	tests := []struct {
		in    string
		limit int
		want  string
	}{
		{"", 5, ""},
		{"  a \n\n b  ", 5, "a b"},
		{"abcde", 5, "abcde"},
		{"abcdef", 5, "abcd…"},
		{"äöüßé", 5, "äöüßé"},
		{"äöüßéx", 5, "äöüß…"},
		{strings.Repeat(" ", 100_000) + "x", 5, "…"},
		{"x" + strings.Repeat("\n", 100_000) + "y", 5, "x…"},
		{strings.Repeat("ä", 100_000), 3, "ää…"},
	}
	for _, tt := range tests {
		if got := oneLine(tt.in, tt.limit); got != tt.want {
			t.Errorf("oneLine(%.20q, %d) = %q, want %q", tt.in, tt.limit, got, tt.want)
		}
	}
}

func TestFit(t *testing.T) {
	t.Parallel()
	tests := []struct {
		in      string
		columns int
		want    string
	}{
		{"abc", 3, "abc"}, {"abc", 2, "ab"}, {"abc", 0, ""}, {"abc", -1, ""}, {"", 0, ""},
		{"大小", 3, "大"}, {"大小", 4, "大小"}, {"a…b", 2, "a…"}, {"😀x", 2, "😀"},
	}
	for _, tt := range tests {
		if got := fit(tt.in, tt.columns); got != tt.want {
			t.Errorf("fit(%q, %d) = %q, want %q", tt.in, tt.columns, got, tt.want)
		}
	}
}

func FuzzOneLine(f *testing.F) {
	f.Add("a\x1b[31m\u202e\xff", 7)
	f.Fuzz(func(t *testing.T, in string, limit int) {
		limit = 1 + limit&0x3ff
		got := oneLine(in, limit)
		if !utf8.ValidString(got) || utf8.RuneCountInString(got) > limit {
			t.Fatalf("%q became %q", in, got)
		}
		for _, r := range got {
			if !unicode.IsPrint(r) {
				t.Fatalf("%q became %q", in, got)
			}
		}
	})
}
