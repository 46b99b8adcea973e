package egress_test

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/crucible-engine/crucible/core/egress"
)

func endpoints(t testing.TB, texts ...string) []egress.Endpoint {
	t.Helper()
	var out []egress.Endpoint
	for _, text := range texts {
		e, err := egress.ParseEndpoint(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		out = append(out, e)
	}
	return out
}

// list is a resolution's endpoints with their sources.
func list(r egress.Resolution) []string {
	var out []string
	for _, a := range r.Endpoints {
		out = append(out, a.String()+" "+string(a.Source))
	}
	return out
}

func TestResolveAppends(t *testing.T) {
	t.Parallel()
	builtin := egress.Builtin(egress.Claude)
	r := egress.Resolve(egress.Claude, egress.Declaration{
		InheritDefaults: true, Endpoints: endpoints(t, "crates.io:443:read-only", "github.com:443", "pypi.org:443:full"),
		Binaries: []string{"/usr/bin/cargo", "/usr/local/bin/claude"},
	}, nil)
	if len(r.Endpoints) != len(builtin)+2 {
		t.Errorf("%d endpoints, want the %d built-in ones and two", len(r.Endpoints), len(builtin))
	}
	want := []string{"crates.io:443:read-only manifest", "pypi.org:443:full manifest"}
	if diff := cmp.Diff(want, list(r)[len(builtin):]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	binaries := []egress.Binary{{"/usr/local/bin/claude", egress.FromBuiltin}, {"/usr/local/bin/opencode", egress.FromBuiltin}, {"/usr/bin/cargo", egress.FromManifest}}
	if diff := cmp.Diff(binaries, r.Binaries); diff != "" {
		t.Errorf("binaries (-want +got):\n%s", diff)
	}
}

func TestResolveExactly(t *testing.T) {
	t.Parallel()
	if r := egress.Resolve(egress.Claude, egress.Declaration{}, nil); len(r.Endpoints)+len(r.Binaries) != 0 {
		t.Errorf("an air gap lets through %+v", r)
	}
	broker := endpoints(t, "host.containers.internal:8849")[0]
	r := egress.Resolve(egress.Claude, egress.Declaration{
		Endpoints: endpoints(t, "github.com:443:full"), DenyEndpoints: endpoints(t, "host.containers.internal:8849"),
	}, &broker)
	want := []string{"github.com:443:full manifest", "host.containers.internal:8849:full broker"}
	if diff := cmp.Diff(want, list(r)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, ok := r.Permits("host.containers.internal", 8849); !ok {
		t.Error("the broker can be denied")
	}
}

func TestDeny(t *testing.T) {
	t.Parallel()
	r := egress.Resolve("", egress.Declaration{
		Endpoints:     endpoints(t, "x.com:443", "a.x.com:443", "*.x.com:443", "x.com:80", "**.y.com:443", "b.y.com:443", "evilx.com:443", "*-z.com:443", "a-z.com:443"),
		DenyEndpoints: endpoints(t, "x.com:443:read-only", "b.y.com:443", "*-z.com:443"),
	}, nil)
	want := []string{"x.com:80:full manifest", "**.y.com:443:full manifest", "evilx.com:443:full manifest"}
	if diff := cmp.Diff(want, list(r)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(r.Shadows) != 1 || r.Shadows[0].Deny.Host != "b.y.com" || r.Shadows[0].Allow.Host != "**.y.com" {
		t.Errorf("shadows: %+v", r.Shadows)
	}
	for host, want := range map[string]bool{
		"a.y.com": true, "b.y.com": false, "c.b.y.com": false, "B.Y.COM": false, "b.y.com.": false, "x.com": false, "*.y.com": false, "": false,
	} {
		if _, got := r.Permits(host, 443); got != want {
			t.Errorf("%s may be reached: %v", host, got)
		}
	}
}

// A literal deny stands for the sub-domains too, so that a wildcard which covers
// only those outlives it visibly.
func TestShadowOfSubdomain(t *testing.T) {
	t.Parallel()
	r := egress.Resolve("", egress.Declaration{Endpoints: endpoints(t, "*.*.com:443", "*.com:80"), DenyEndpoints: endpoints(t, "y.com:443")}, nil)
	if len(r.Shadows) != 1 || r.Shadows[0].Allow.Host != "*.*.com" {
		t.Errorf("shadows: %+v", r.Shadows)
	}
	if _, ok := r.Permits("a.y.com", 443); ok {
		t.Error("a sub-domain of a denied host may be reached")
	}
}

// The order of what is declared is that of the result, whatever is denied.
func TestResolveOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-z]{3}\.x`), 1, 12, rapid.ID).Draw(t, "names")
		var d egress.Declaration
		var want []string
		for _, n := range names {
			e := egress.Endpoint{Host: n, Port: 443}
			d.Endpoints = append(d.Endpoints, e, e)
			if rapid.Bool().Draw(t, "denied") {
				d.DenyEndpoints = append(d.DenyEndpoints, e)
			} else {
				want = append(want, e.String()+" manifest")
			}
		}
		if diff := cmp.Diff(want, list(egress.Resolve("", d, nil))); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
	})
}

// pattern turns a host into a regular expression, by other means than the
// package.
func pattern(host string) *regexp.Regexp {
	labels := strings.Split(regexp.QuoteMeta(host), `\.`)
	for i, l := range labels {
		if l == `\*\*` {
			labels[i] = `[^.]+(\.[^.]+)*`
		} else {
			labels[i] = strings.ReplaceAll(l, `\*`, `[^.]*`)
		}
	}
	return regexp.MustCompile(`^` + strings.Join(labels, `\.`) + `$`)
}

// universe is every host of up to five labels from a few: wherever two patterns
// of the generator meet, they meet in one of these.
func universe() []string {
	labels := []string{"a", "b", "ab"}
	all, longest := slices.Clone(labels), labels
	for range 4 {
		var next []string
		for _, h := range longest {
			for _, l := range labels {
				next = append(next, h+"."+l)
			}
		}
		all, longest = append(all, next...), next
	}
	return all
}

func hosts() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		labels := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "ab", "*", "a*", "*b", "a*b", "**"}), 1, 3).Draw(t, "labels")
		return strings.Join(labels, ".")
	}).Filter(func(host string) bool { _, err := egress.ParseEndpoint(host + ":1"); return err == nil })
}

// Every resolution is the one that the sentences of the clause give, read one by
// one.
func TestResolveModel(t *testing.T) {
	t.Parallel()
	all := universe()
	// denied: the host itself, and of a literal the hosts below it.
	meets := func(deny, allow string) bool {
		x, y := pattern(deny), pattern(allow)
		return slices.ContainsFunc(all, func(h string) bool {
			return y.MatchString(h) && (x.MatchString(h) || !strings.Contains(deny, "*") && strings.HasSuffix(h, "."+deny))
		})
	}
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) []egress.Endpoint {
			var out []egress.Endpoint
			for _, h := range rapid.SliceOfN(hosts(), 0, 5).Draw(t, name) {
				out = append(out, egress.Endpoint{
					Host: h, Port: rapid.SampledFrom([]uint16{80, 443}).Draw(t, "port"),
					Access: egress.Access(rapid.IntRange(0, 2).Draw(t, "access")),
				})
			}
			return out
		}
		d := egress.Declaration{Endpoints: draw("allow"), DenyEndpoints: draw("deny"), InheritDefaults: rapid.Bool().Draw(t, "inherit")}
		var want, shadows []string
		candidates := slices.Clone(d.Endpoints)
		if d.InheritDefaults {
			candidates = append(egress.Builtin(egress.Codex), candidates...)
		}
		for i, e := range candidates {
			gone := slices.Contains(candidates[:i], e)
			for _, deny := range d.DenyEndpoints {
				literal := !strings.Contains(deny.Host, "*")
				gone = gone || deny.Port == e.Port && (deny.Host == e.Host || literal && strings.HasSuffix(e.Host, "."+deny.Host) ||
					!literal && !strings.Contains(e.Host, "*") && pattern(deny.Host).MatchString(e.Host))
			}
			if !gone {
				want = append(want, e.String())
			}
		}
		r := egress.Resolve(egress.Codex, d, nil)
		var got []string
		for _, a := range r.Endpoints {
			got = append(got, a.Endpoint.String())
			if a.Source != egress.FromManifest {
				continue // its hosts are none of the universe
			}
			for _, deny := range d.DenyEndpoints {
				if deny.Port == a.Port && meets(deny.Host, a.Host) {
					shadows = append(shadows, deny.String()+" "+a.Endpoint.String())
				}
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
		var found []string
		for _, s := range r.Shadows {
			if s.Allow.Source != egress.FromManifest {
				continue
			}
			found = append(found, s.Deny.String()+" "+s.Allow.Endpoint.String())
		}
		slices.Sort(shadows)
		slices.Sort(found)
		if diff := cmp.Diff(shadows, found); diff != "" {
			t.Fatalf("shadows (-want +got):\n%s", diff)
		}
	})
}

// The worst that a manifest can ask for takes no more than a moment.
func BenchmarkResolveWildcards(b *testing.B) {
	list := func(name string) []egress.Endpoint {
		var out []egress.Endpoint
		for i := range 256 {
			out = append(out, endpoints(b, strings.Repeat("*.", 110)+name+strconv.Itoa(i)+".**:443")...)
		}
		return out
	}
	d := egress.Declaration{Endpoints: list("a"), DenyEndpoints: list("b")}
	for b.Loop() {
		egress.Resolve("", d, nil)
	}
}

// What is built in has the form in which a manifest would be read, so that the
// two are compared and denied alike.
func TestBuiltinForm(t *testing.T) {
	t.Parallel()
	for harness, want := range map[string]struct{ endpoints, binaries int }{
		egress.Claude: {14, 2}, egress.Codex: {17, 1}, egress.Hermes: {13, 1}, egress.OpenCode: {14, 1}, egress.Pi: {14, 1}, "": {13, 0},
	} {
		r := egress.Resolve(harness, egress.Declaration{InheritDefaults: true}, nil)
		if len(r.Endpoints) != want.endpoints || len(r.Binaries) != want.binaries {
			t.Errorf("%s: %d endpoints and %d binaries", harness, len(r.Endpoints), len(r.Binaries))
		}
		for _, a := range r.Endpoints {
			if again, err := egress.ParseEndpoint(a.String()); err != nil || again != a.Endpoint || a.Source != egress.FromBuiltin {
				t.Errorf("%s: %s reads as %+v, %v", harness, a, again, err)
			}
		}
	}
}
