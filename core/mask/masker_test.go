package mask_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/crucible-engine/crucible/core/mask"
)

func TestMask(t *testing.T) {
	t.Parallel()
	pem := "-----BEGIN KEY-----\r\nMIIBVAIBADANBgkq\r\n}\r\n-----END KEY-----\n"
	tests := []struct {
		name   string
		values []string
		text   string
		want   string
	}{
		{"no values", nil, "plain", "plain"},
		{"not there", []string{"hunter2"}, "plain", "plain"},
		{"empty text", []string{"hunter2"}, "", ""},
		{"plain", []string{"hunter2"}, "pw=hunter2;", "pw=[masked];"},
		{"whole text", []string{"hunter2"}, "hunter2", "[masked]"},
		{"twice", []string{"hunter2"}, "hunter2hunter2", "[masked][masked]"},
		{"overlaps itself", []string{"abaaba"}, "abaabaaba", "[masked]"},
		{"near miss", []string{"hunter2"}, "hunterhunter3", "hunterhunter3"},
		{"after a false start", []string{"aaaaab"}, "aaaaaaab", "aa[masked]"},
		{"too short", []string{"true", "12345"}, "true 12345", "true 12345"},
		{"only white space", []string{"        ", "\n\n\n\n\n\n\n"}, "a          b", "a          b"},
		{"white space around", []string{"  hunter2\n"}, "x hunter2 y", "x [masked] y"},
		{"longest wins", []string{"secret", "secret-long-1"}, "secret-long-1 secret", "[masked] [masked]"},
		{"shorter first in text", []string{"abcdef", "cdefghij"}, "abcdefghij", "[masked]"},
		{"inside another", []string{"bcdefg", "abcdefgh"}, "abcdefgh abcdefg", "[masked] a[masked]"},
		{"bridges two", []string{"abcdef", "ghijkl", "bcdefghijk"}, "abcdefghijkl", "[masked]"},
		{"repeated value", []string{"hunter2", "hunter2"}, "hunter2", "[masked]"},
		{"line of a value with lines", []string{pem}, "x MIIBVAIBADANBgkq y } z", "x [masked] y } z"},
		{"value with lines at once", []string{"first-line\nsecond-line"}, "a first-line\nsecond-line b", "a [masked] b"},
		{"not UTF-8", []string{"\xff\xfe\xfd\xfc\xfb\xfa"}, "a\xff\xfe\xfd\xfc\xfb\xfab", "a[masked]b"},
		{"placeholder as value", []string{"[masked]"}, "[masked]", "[masked]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, mask.New(tt.values).Mask(tt.text)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestMaskForms(t *testing.T) {
	t.Parallel()
	const secret = `p@ss/wörd "<'q'>\+x`
	text, _ := json.Marshal(secret)
	forms := map[string]string{
		"plain":             secret,
		"base64":            base64.StdEncoding.EncodeToString([]byte(secret)),
		"base64 raw":        base64.RawStdEncoding.EncodeToString([]byte(secret)),
		"base64 for URLs":   base64.URLEncoding.EncodeToString([]byte(secret)),
		"query":             url.QueryEscape(secret),
		"query lower":       "p%40ss%2fw%c3%b6rd+%22%3c%27q%27%3e%5c%2bx",
		"path":              url.PathEscape(secret),
		"json":              string(text[1 : len(text)-1]),
		"json without html": `p@ss/wörd \"<'q'>\\+x`,
		"json slashes":      `p@ss\/wörd \"<'q'>\\+x`,
		"json ascii":        `p@ss/w\u00f6rd \"<'q'>\\+x`,
		"shell":             `p@ss/wörd "<'\''q'\''>\+x`,
		"hex":               hex.EncodeToString([]byte(secret)),
		"hex upper":         strings.ToUpper(hex.EncodeToString([]byte(secret))),
	}
	m := mask.New([]string{secret})
	for name, form := range forms {
		if got := m.Mask("<" + form + ">"); got != "<[masked]>" {
			t.Errorf("%s: %q became %q", name, form, got)
		}
	}
}

// TestMaskInsideBase64 checks the commonest leak: the header of HTTP basic auth.
func TestMaskInsideBase64(t *testing.T) {
	t.Parallel()
	const secret = "s3cr3t-t0ken-value"
	m := mask.New([]string{secret})
	for _, around := range [][2]string{{"", ""}, {"u:", ""}, {"us:", "!"}, {"user:", "--"}, {"user2:", "---"}} {
		text := base64.StdEncoding.EncodeToString([]byte(around[0] + secret + around[1]))
		got := m.Mask(text)
		if !strings.Contains(got, mask.Placeholder) {
			t.Fatalf("%q: %q is not masked", around, text)
		}
		for _, part := range strings.Split(got, mask.Placeholder) {
			plain, _ := base64.RawStdEncoding.DecodeString(strings.TrimRight(part, "="))
			for n := 4; n < len(secret); n++ {
				for i := range len(secret) - n + 1 {
					if strings.Contains(string(plain), secret[i:i+n]) {
						t.Fatalf("%q: %q still shows %q", around, got, secret[i:i+n])
					}
				}
			}
		}
	}
}

func TestMaskCut(t *testing.T) {
	t.Parallel()
	m := mask.New([]string{"abcdefghijklmnop"})
	for text, want := range map[string]string{
		"x abcdefgh":         "x [masked]",
		"x abcdef":           "x [masked]",
		"x abcde":            "x abcde",
		"abcdefghijklmnop":   "[masked]",
		"abcdefghijklmnop a": "[masked] a",
	} {
		if got := m.MaskCut(text); got != want {
			t.Errorf("MaskCut(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestZeroMasker(t *testing.T) {
	t.Parallel()
	var none *mask.Masker
	var zero mask.Masker
	if got := none.Mask("text") + zero.Mask("text"); got != "texttext" {
		t.Error(got)
	}
}

// TestMaskAgainstNaive compares with the obvious way: mark every byte of every
// occurrence, then replace each marked stretch.
func TestMaskAgainstNaive(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.StringMatching(`[ab]{6,9}`)
		values := rapid.SliceOfN(value, 1, 4).Draw(t, "values")
		text := rapid.StringMatching(`[ab]{0,60}`).Draw(t, "text")
		got := mask.New(values).Mask(text)
		covered := make([]bool, len(text))
		for _, v := range values {
			for i := 0; i+len(v) <= len(text); i++ {
				if text[i:i+len(v)] == v {
					for j := range v {
						covered[i+j] = true
					}
				}
			}
		}
		var want strings.Builder
		for i := range covered {
			switch {
			case !covered[i]:
				want.WriteByte(text[i])
			case i == 0 || !covered[i-1]:
				want.WriteString("#")
			}
		}
		// Neighbours that touch are two spans there and one here.
		for strings.Contains(got, mask.Placeholder+mask.Placeholder) {
			got = strings.ReplaceAll(got, mask.Placeholder+mask.Placeholder, mask.Placeholder)
		}
		if got = strings.ReplaceAll(got, mask.Placeholder, "#"); got != want.String() {
			t.Fatalf("values %q text %q: got %q, want %q", values, text, got, want.String())
		}
	})
}

func TestMaskConcurrently(t *testing.T) {
	t.Parallel()
	m := mask.New([]string{"hunter2", "correct horse"})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 200 {
				if got := m.Mask("a hunter2 b correct horse c"); got != "a [masked] b [masked] c" {
					t.Error(got)
					return
				}
			}
		})
	}
	wg.Wait()
}

func FuzzMask(f *testing.F) {
	f.Add("hunter2", "pw=hunter2")
	f.Add("a\nb\nlong enough line", "long enough line")
	f.Add("\xff\xff\xff\xff\xff\xff", "")
	f.Fuzz(func(t *testing.T, value, text string) {
		m := mask.New([]string{value})
		value = strings.TrimSpace(value)
		got := m.Mask(text + value + text)
		if len(value) >= mask.MinLength && strings.Count(got, value) > strings.Count(got, mask.Placeholder) {
			t.Errorf("%q is still in %q", value, got)
		}
		m.MaskCut(text)
	})
}
