package exposure_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/crucible-engine/crucible/core/exposure"
	"github.com/crucible-engine/crucible/core/manifest"
)

const base = `
[repo]
path = "."
[judge]
measure_cmd = "./measure.sh"
direction = "lower"
`

const full = base + `
[workspace]
setup_cmd = "make"
[agent]
backend = "openshell"
harness = "hermes"
[agent.env]
B_TOKEN = "s3cret-b"
A_TOKEN = "s3cret-a"
[[agent.relay]]
dest = "/run/kube"
from_file = "../kubeconfig"
[[agent.relay]]
dest = "/run/x"
template = "k=${env:KEY} ${file64:/etc/key} ${cmd:vault read}"
[agent.openshell]
endpoints = ["[2001:db8::1]:443:read-only"]
binaries = ["/usr/bin/cargo"]
inherit_defaults = false
deny_endpoints = ["evil.example:443"]
read_only_paths = ["/opt"]
[agent.broker]
enabled = true
bin = "my-broker"
[world]
apply_cmd = "a"
[outputs.tracker-comment]
count = 1
target = { open = { scope = "AB-*", param = "item" } }
[outputs.draft-pr]
count = 3
target = { open = { scope = "o/*" } }
[[capabilities.secret]]
name = "JIRA"
context = "broker"
system = "jira"
scope = "AB"
[[capabilities.secret]]
name = "A_TOKEN"
context = "broker"
system = "github.com"
scope = "o/*"
`

func load(t testing.TB, text string) *manifest.Manifest {
	t.Helper()
	m, list := manifest.Parse(filepath.Join(t.TempDir(), "crucible.toml"), []byte(text))
	if list.HasErrors() {
		t.Fatal(list)
	}
	return m
}

func resolve(t testing.TB, text string) exposure.Document {
	t.Helper()
	return exposure.Resolve(load(t, text), exposure.Surroundings{Getenv: func(string) string { return "" }})
}

// golden compares a document with a file of testdata. CRUCIBLE_UPDATE=1 rewrites
// it.
func golden(t *testing.T, name string, d exposure.Document) {
	t.Helper()
	got, err := d.Encode()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join("testdata", name)
	if os.Getenv("CRUCIBLE_UPDATE") != "" {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestDocument(t *testing.T) {
	t.Parallel()
	golden(t, "full.json", resolve(t, full))
	golden(t, "plain.json", resolve(t, base+"[agent]\nbackend = \"command\"\nagent_cmd = \"true\"\n"))
	text, err := resolve(t, full).Encode()
	if err != nil || strings.Contains(string(text), "s3cret") {
		t.Errorf("a value is disclosed: %v", err)
	}
}

// The digest depends on what is disclosed, and not on the order in which it was
// declared.
func TestDigest(t *testing.T) {
	t.Parallel()
	whole := resolve(t, full)
	want, err := whole.Digest()
	if err != nil || !strings.HasPrefix(want, "sha256:") || len(want) != 71 {
		t.Fatalf("%q, %v", want, err)
	}
	rapid.Check(t, func(t *rapid.T) {
		d := exposure.Document{
			Version: whole.Version, Outputs: rapid.Permutation(whole.Outputs).Draw(t, "outputs"),
			Capabilities: rapid.Permutation(whole.Capabilities).Draw(t, "capabilities"),
		}
		if got, err := d.Digest(); err != nil || got != want {
			t.Fatalf("%s, %v", got, err)
		}
		if changes, err := exposure.Diff(whole, d); err != nil || len(changes) != 0 {
			t.Fatalf("%v, %v", changes, err)
		}
		less := d
		less.Capabilities = slices.Delete(slices.Clone(d.Capabilities), 0, 1)
		if got, _ := less.Digest(); got == want {
			t.Fatal("one capability less, and the same digest")
		}
	})
	text, err := whole.Encode()
	if err != nil {
		t.Fatal(err)
	}
	again, err := exposure.Decode(text)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := again.Digest(); err != nil || got != want {
		t.Errorf("after encoding and decoding: %s, %v", got, err)
	}
}

func TestDigestVector(t *testing.T) {
	t.Parallel()
	d := exposure.Document{Version: 1, Outputs: []exposure.Output{}, Capabilities: []exposure.Capability{
		{"kind": "relay", "path": "/b"}, {"kind": "egress", "port": 443, "host": "a<b>&c"},
	}}
	// sha256 of {"capabilities":[{"host":"a<b>&c","kind":"egress","port":443},{"kind":"relay","path":"/b"}],"outputs":[],"version":1}
	const want = "sha256:5fd32c4a84572d13d16284b57786eae4682ae8db3438f501c60054cabe808343"
	if got, err := d.Digest(); err != nil || got != want {
		t.Errorf("got %s, %v", got, err)
	}
}

func TestDiff(t *testing.T) {
	t.Parallel()
	before := resolve(t, full)
	after := resolve(t, strings.Replace(strings.Replace(full, "count = 3", "count = 4", 1), `"evil.example:443"`, `"worse.example:443"`, 1))
	changes, err := exposure.Diff(before, after)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range changes {
		sign := "-"
		if c.Added {
			sign = "+"
		}
		got = append(got, sign+c.List+" "+c.Entry)
	}
	want := []string{
		`-outputs {"count":3,"kind":"draft-pr","source":"manifest","target":{"open":{"param":null,"scope":"o/*"}}}`,
		`+outputs {"count":4,"kind":"draft-pr","source":"manifest","target":{"open":{"param":null,"scope":"o/*"}}}`,
		`-capabilities {"host":"evil.example","kind":"egress-deny","port":443}`,
		`+capabilities {"host":"worse.example","kind":"egress-deny","port":443}`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestDecode(t *testing.T) {
	t.Parallel()
	newer := `{"version":1,"outputs":[],"capabilities":[{"kind":"teleport","to":{"x":[1,2.50]}}],"more":true}`
	d, err := exposure.Decode([]byte(newer))
	if err != nil || d.Capabilities[0].Kind() != "teleport" {
		t.Fatalf("%+v, %v", d, err)
	}
	if text, err := json.Marshal(d.Capabilities[0]); err != nil || string(text) != `{"kind":"teleport","to":{"x":[1,2.50]}}` {
		t.Errorf("an unknown capability became %s, %v", text, err)
	}
	for _, bad := range []string{"", "[]", `{"version":2,"outputs":[],"capabilities":[]}`, `{"version":1,"outputs":{}}`} {
		if _, err := exposure.Decode([]byte(bad)); err == nil {
			t.Errorf("%s is read", bad)
		}
	}
}

func TestGrants(t *testing.T) {
	t.Parallel()
	d := resolve(t, full)
	for text, covered := range map[string]bool{
		"credential:A_TOKEN": true, "credential:A_TOKEN,system=github.com": true, "credential:A_TOKEN,system=gitlab.com": false,
		"credential:A_TOKEN,scope=o/r": true, "credential:A_TOKEN,scope=p/r": false, "credential:A_TOKEN,context=broker": true,
		"credential:B_TOKEN": true, "credential:B_TOKEN,system=github.com": false, "credential:B_TOKEN,scope=undeclared": false,
		"credential:B_TOKEN,scope=x": false,
		"credential:JIRA":            false, "credential:JIRA,context=broker": true, "credential:JIRA,context=broker,scope=AB": true,
		"credential:JIRA,context=broker,scope=AB/1": true, "credential:JIRA,context=broker,scope=ABC": false,
		"credential:OTHER": false, "credential:GIT_AUTHOR_NAME": true, "relay:/run/kube": true, "relay:/run/other": false,
	} {
		g, err := exposure.ParseGrant(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if got := len(d.Uncovered([]exposure.Grant{g})) == 0; got != covered {
			t.Errorf("%s is covered: %v", text, got)
		}
	}
	a, _ := exposure.ParseGrant("credential:X,system=s,scope=c")
	b, _ := exposure.ParseGrant("relay:/y")
	err := d.CheckGrants([]exposure.Grant{a, b})
	if err == nil || !strings.Contains(err.Error(), "credential X (agent, system s, scope c)") || !strings.Contains(err.Error(), "relay /y") {
		t.Errorf("got %v", err)
	}
	for _, bad := range []string{"", "X", "credential:", "secret:X", "credential:X,", "credential:X,context=me", "credential:X,to=y", "credential:X,scope="} {
		if g, err := exposure.ParseGrant(bad); err == nil {
			t.Errorf("%q is read as %+v", bad, g)
		}
	}
}
