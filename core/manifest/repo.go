package manifest

import (
	"net/url"
	"strings"

	"github.com/crucible-engine/crucible/core/diag"
)

// repo reads [repo].
func (p *pack) repo(t value) {
	r := &Repo{}
	t.read(
		word("url", &r.URL),
		word("path", &r.Path),
		word("ref", &r.Ref),
	)
	p.m.Repo = r
	switch {
	case t.has("url") && t.has("path"):
		t.at("path").fault("keep one of them", "both url and path are given")
	case !t.has("url") && !t.has("path"):
		t.doc.fault(t.key, t.path, "write one of them", "neither url nor path is given")
	case r.URL == "" && r.Path == "":
		p.blankSource(t)
	}
	// Git would read a leading dash as an option.
	for _, s := range []struct{ name, text string }{{"url", r.URL}, {"path", r.Path}, {"ref", r.Ref}} {
		if strings.HasPrefix(s.text, "-") {
			t.at(s.name).fault("", "%s starts with a dash", diag.Quote(s.text, shown))
		}
	}
	if u, err := url.Parse(r.URL); err == nil && u.User != nil {
		if _, has := u.User.Password(); has {
			t.at("url").warn("use a git credential helper", "the address holds a password, which the run will record")
		}
	}
	if r.Path != "" {
		r.Dir = p.locate(r.Path)
	}
}

// blankSource records a source of white space, unless it was refused already.
func (p *pack) blankSource(t value) {
	for _, name := range []string{"url", "path"} {
		if v := t.at(name); t.has(name) && v.node.kind == kindString && strings.TrimSpace(v.node.text) == "" {
			v.fault("", "the string is empty")
		}
	}
}
