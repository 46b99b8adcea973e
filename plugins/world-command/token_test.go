package main

import (
	"strings"
	"testing"
)

func TestToken(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]token{
		"abc":          {commit: "abc"},
		"abc\t":        {commit: "abc"},
		"abc\tx\ty z ": {commit: "abc", domain: "x\ty z "},
		"\tx":          {domain: "x"},
	} {
		if got := splitToken(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// A token that is taken apart and put together again is the same, and its
// domain's half is what the domain said.
func FuzzToken(f *testing.F) {
	f.Add("abc", "x\ty")
	f.Add("", "")
	f.Fuzz(func(t *testing.T, commit, domain string) {
		if strings.Contains(commit, "\t") {
			return // a commit never does
		}
		want := token{commit, domain}
		if got := splitToken(want.String()); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		if checkDomain(domain) == nil && strings.ContainsRune(domain, 0) {
			t.Errorf("%q would not fit into a variable", domain)
		}
	})
}
