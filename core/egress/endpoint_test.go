package egress_test

import (
	"strings"
	"testing"

	"github.com/crucible-engine/crucible/core/egress"
)

func TestParseEndpoint(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"github.com:443":                       "github.com:443:full",
		"github.com:443:":                      "github.com:443:full",
		"GitHub.COM.:443:read-only":            "github.com:443:read-only",
		"*.github.com:443:read-write":          "*.github.com:443:read-write",
		"*-aiplatform.googleapis.com:443:full": "*-aiplatform.googleapis.com:443:full",
		"**.internal:8080":                     "**.internal:8080:full",
		"*:1":                                  "*:1:full",
		"_srv.x:65535":                         "_srv.x:65535:full",
		"10.0.0.7:22":                          "10.0.0.7:22:full",
		"[2001:DB8::0:1]:443":                  "[2001:db8::1]:443:full",
		"[::1]:443:read-only:rest":             "[::1]:443:read-only:rest",
		"a.b:443:full:rest:audit":              "a.b:443:full:rest:audit",
		"a.b:443:full::audit":                  "a.b:443:full::audit",
		"[::ffff:10.0.0.7]:443":                "10.0.0.7:443:full",
		"xn--bcher-kva.DE:443":                 "xn--bcher-kva.de:443:full",
		"0x7f.example:443":                     "0x7f.example:443:full",
	} {
		e, err := egress.ParseEndpoint(text)
		if err != nil || e.String() != want {
			t.Errorf("%s: got %q, %v; want %q", text, e.String(), err, want)
			continue
		}
		if again, err := egress.ParseEndpoint(e.String()); err != nil || again != e {
			t.Errorf("%s: %q reads as %+v, %v", text, e.String(), again, err)
		}
	}
}

func TestParseEndpointErrors(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                                "no port",
		"github.com":                      "no port",
		":443":                            "no host",
		"github.com:":                     "not a port",
		"github.com:0":                    "not a port",
		"github.com:65536":                "not a port",
		"github.com:+443":                 "not a port",
		"github.com:https":                "not a port",
		"github.com:443:rw":               "read-write",
		"github.com:443:full:a:b:c":       "too many parts",
		"github.com:443:full:A b":         "not a word",
		"https://github.com:443":          "is a URL",
		"a..b:443":                        "empty label",
		".a:443":                          "empty label",
		"-a.b:443":                        "dash",
		"a-.b:443":                        "dash",
		"a**.b:443":                       "whole labels",
		"***.b:443":                       "whole labels",
		"a b:443":                         "character",
		"a/b:443":                         "character",
		"bücher.de:443":                   "xn--",
		"g\u0130thub.com:443":             "xn--", // both have lower-case forms in ASCII
		"\u212aernel.org:443":             "xn--",
		"a\xffb:443":                      "xn--",
		"**.a.**:443":                     `more than one "**"`,
		"a*b*:443":                        `more than one "*"`,
		"0x7f000001:443":                  "neither a name nor an IP address",
		"1.2.3.0x:443":                    "neither a name nor an IP address",
		"1.2.3:443":                       "neither a name nor an IP address",
		"300.1.1.1:443":                   "neither a name nor an IP address",
		"[1.2.3.4]:443":                   "IPv6",
		"[::1]443":                        "IPv6",
		"[::1":                            "IPv6",
		"[fe80::1%eth0]:443":              "IPv6",
		"::1:443":                         "without brackets",
		"2001:db8::1:443:full":            "without brackets",
		"::1":                             "without brackets",
		strings.Repeat("a", 64) + ".b:1":  "63 bytes",
		strings.Repeat("a.", 130) + "b:1": "253 bytes",
		strings.Repeat("a", 600) + ":443": "512 bytes",
	} {
		if e, err := egress.ParseEndpoint(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %+v, %v; want %q", text, e, err, want)
		}
	}
}

func TestCovers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pattern, host string
		want          bool
	}{
		{"github.com", "github.com", true}, {"github.com", "GitHub.com", true}, {"github.com", "api.github.com", false},
		{"*.github.com", "api.github.com", true}, {"*.github.com", "github.com", false}, {"*.github.com", "a.b.github.com", false},
		{"**.github.com", "a.b.github.com", true}, {"**.github.com", "github.com", false},
		{"*-x.com", "eu-x.com", true}, {"*-x.com", "-x.com", false}, {"*-x.com", "a.eu-x.com", false},
		{"a.*.c", "a.b.c", true}, {"a.*.c", "a.c", false}, {"a.**.c", "a.b.b.c", true},
		{"*", "localhost", true}, {"*", "a.b", false}, {"**", "a.b", true},
		{"a*c", "abbc", true}, {"a*c", "ac", true}, {"a*c", "abb", false}, {"ab*ba", "aba", false},
		{"**.b.c", "b.c", false}, {"a.**.b.c", "a.b.c", false}, {"a.**.b.c", "a.b.b.c", true},
		{"github.com", "GitHub.com.", true}, {"**", "*.com", false}, {"**", "", false}, {"**", "a..b", false}, {"**", "0x7f.1", false},
		{"**", "g\u0130thub.com", false}, {"10.0.0.7", "::ffff:10.0.0.7", true}, {"[::1]", "::0001", true}, {"[::1]", "::1]:443", false},
		{"*.x", "::1", false}, {"**", "::1", false},
		{"evil-github.com", "github.com", false}, {"*github.com", "evilgithub.com", true},
	} {
		e, err := egress.ParseEndpoint(c.pattern + ":443")
		if err != nil {
			t.Fatal(err)
		}
		if got := e.Covers(c.host); got != c.want {
			t.Errorf("%s covers %s: got %v", c.pattern, c.host, got)
		}
	}
}

func TestBrokerEndpoint(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ given, bind, driver, want, fault string }{
		{"", "0.0.0.0:8849", "host.containers.internal", "host.containers.internal:8849:full", ""},
		{"", "[::]:9000", "::1", "[::1]:9000:full", ""},
		{"", "8849", "h", "", "address:port"},
		{"https://broker.example/mcp", "0.0.0.0:1", "h", "broker.example:443:full", ""},
		{"http://broker.example/mcp", "", "", "broker.example:80:full", ""},
		{"http://[2001:db8::1]:81/", "", "", "[2001:db8::1]:81:full", ""},
		{"http://broker.example:/mcp", "", "", "", "empty port"},
		{"ftp://broker.example", "", "", "", "http"},
		{"http:///mcp", "", "", "", "no host"},
		{"http://broker.example:99999/", "", "", "", "not a port"},
		{"http://*.example/", "", "", "", "wildcard"},
		{"http://a b/", "", "", "", "not a URL"},
		{"http://user:hunter2@broker.example/mcp", "", "", "", "user name or a password"},
		{"http://user@broker.example/mcp", "", "", "", "user name or a password"},
		{"", ":8849", "h", "", "address:port"},
		{"", "0.0.0.0:80/x", "h", "", "not a port"},
		{"", "0.0.0.0:http", "h", "", "not a port"},
		{"", "0.0.0.0:80:full", "h", "", "address:port"},
		{"", "u@0.0.0.0:80", "h", "", "character"},
		{"", "*:80", "h", "", "wildcard"},
	} {
		url, err := egress.BrokerURL(c.given, c.bind, c.driver)
		var e egress.Endpoint
		if err == nil {
			e, err = egress.BrokerEndpoint(url)
		}
		if c.fault != "" {
			if err == nil || !strings.Contains(err.Error(), c.fault) || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("%+v: got %v, %v", c, e, err)
			}
		} else if err != nil || e.String() != c.want {
			t.Errorf("%+v: got %v, %v", c, e, err)
		}
	}
}
