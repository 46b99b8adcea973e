package main

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/crucible-engine/crucible/sdk/contract"
)

// token is a recorded state: the commit of the files and what the domain calls
// its own state, which nobody looks into.
type token struct {
	commit, domain string
}

// String is the composite form: the commit, a tab, the domain's half, which may
// hold tabs of its own (C-WORLD).
func (t token) String() string { return t.commit + "\t" + t.domain }

// splitToken takes a token apart at its first tab. One without a tab is a commit
// alone.
func splitToken(s string) token {
	commit, domain, _ := strings.Cut(s, "\t")
	return token{commit, domain}
}

// checkDomain refuses what a token cannot carry, or a variable of the environment
// cannot give back.
func checkDomain(domain string) error {
	const room = contract.MaxToken - 65 // the longest commit and the tab
	switch {
	case domain == "":
		return fmt.Errorf("it printed no token on its last line")
	case len(domain) > room:
		return fmt.Errorf("its token has more than %d bytes", room)
	case !utf8.ValidString(domain):
		return fmt.Errorf("its token is not UTF-8")
	case strings.ContainsRune(domain, 0):
		return fmt.Errorf("its token holds a NUL")
	}
	return nil
}
