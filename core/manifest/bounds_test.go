package manifest_test

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crucible-engine/crucible/core/egress"
	"github.com/crucible-engine/crucible/core/manifest"
	"github.com/crucible-engine/crucible/core/outputs"
)

// What bounds a run is read into the values that the sandbox and the disclosure
// share; nothing of it is text to be parsed again.
func TestBoundsAreValues(t *testing.T) {
	t.Parallel()
	m, list := manifest.Parse(filepath.Join(newPack(t), "crucible.toml"), []byte(complete(`
[agent]
backend = "command"
agent_cmd = "true"
[agent.openshell]
endpoints = ["GitHub.com.:443:read-only", "[2001:DB8::0:1]:8443"]
deny_endpoints = ["*.example.com:80"]
binaries = ["/usr/bin/cargo"]
deny_binaries = ["/usr/local/bin/claude"]
read_only_paths = ["/opt/tools"]
inherit_defaults = false
[agent.broker]
enabled = true
bin = "my-broker"
bind = "127.0.0.1:9000"
[outputs.tracker-comment]
count = 3
target = { open = { scope = " AB-* ", param = "item" } }
[outputs.deploy]
count = 0
target = { fixed = "ns/app" }
[[capabilities.secret]]
name = "GH_TOKEN"
context = "broker"
system = "github.com"
scope = "repo:read"
`)))
	if m == nil {
		t.Fatal(list)
	}
	want := egress.Declaration{
		Endpoints: []egress.Endpoint{
			{Host: "github.com", Port: 443, Access: egress.ReadOnly}, {Host: "2001:db8::1", Port: 8443},
		},
		DenyEndpoints: []egress.Endpoint{{Host: "*.example.com", Port: 80}},
		Binaries:      []string{"/usr/bin/cargo"}, DenyBinaries: []string{"/usr/local/bin/claude"}, ReadOnlyPaths: []string{"/opt/tools"},
	}
	if diff := cmp.Diff(want, m.Agent.Egress); diff != "" {
		t.Errorf("egress (-want +got):\n%s", diff)
	}
	if e, ok := m.Agent.Broker.Endpoint("host.example"); !ok || e != (egress.Endpoint{Host: "host.example", Port: 9000}) {
		t.Errorf("the broker is at %+v, %v", e, ok)
	}
	bounds := outputs.Declaration{
		outputs.TrackerComment: {
			Kind: outputs.TrackerComment, Count: 3, Target: outputs.Target{Scope: "AB-*", Param: "item"}, Source: outputs.FromManifest,
		},
		outputs.Deploy: {Kind: outputs.Deploy, Target: outputs.Target{Fixed: "ns/app"}, Source: outputs.FromManifest},
	}
	if diff := cmp.Diff(bounds, m.Outputs); diff != "" {
		t.Errorf("outputs (-want +got):\n%s", diff)
	}
	secrets := []manifest.Secret{{Name: "GH_TOKEN", Context: manifest.ContextBroker, System: "github.com", Scope: "repo:read"}}
	if diff := cmp.Diff(secrets, m.Secrets); diff != "" {
		t.Errorf("secrets (-want +got):\n%s", diff)
	}
}
