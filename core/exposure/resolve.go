package exposure

import (
	"slices"
	"strings"

	"github.com/crucible-engine/crucible/core/egress"
	"github.com/crucible-engine/crucible/core/manifest"
	"github.com/crucible-engine/crucible/core/outputs"
)

// Surroundings is what the engine adds to the manifest.
type Surroundings struct {
	// Getenv looks a variable of the engine's environment up; "" is unset.
	Getenv func(name string) string
	// PublishRepo stands in for [publish].pr_repo where the manifest has none.
	PublishRepo string
	// DriverHost is what the sandbox calls the engine's machine.
	DriverHost string
}

// DriverHost is the name of the engine's machine in a podman sandbox.
const DriverHost = "host.containers.internal"

// Bounds are the bounds on the writes of a pack, one for every kind.
func Bounds(m *manifest.Manifest, s Surroundings) []outputs.Bound {
	in := outputs.Surroundings{Getenv: s.Getenv, PublishRepo: m.Publish.PRRepo}
	if in.PublishRepo == "" {
		in.PublishRepo = s.PublishRepo
	}
	for _, b := range m.Builds {
		in.DispatchRepos = append(in.DispatchRepos, b.Dispatch)
	}
	return outputs.Resolve(m.Outputs, in)
}

// Egress is what the sandbox of the pack's agent may reach.
func Egress(m *manifest.Manifest, s Surroundings) egress.Resolution {
	host := s.DriverHost
	if host == "" {
		host = DriverHost
	}
	var broker *egress.Endpoint
	if e, ok := m.Agent.Broker.Endpoint(host); ok {
		broker = &e
	}
	return egress.Resolve(m.Agent.Harness, m.Agent.Egress, broker)
}

// Resolve is the exposure of a pack.
func Resolve(m *manifest.Manifest, s Surroundings) Document {
	d := Document{Version: Version, Outputs: []Output{}, Capabilities: []Capability{}}
	for _, b := range Bounds(m, s) {
		d.Outputs = append(d.Outputs, Output{Kind: b.Kind, Count: b.Count, Target: targetOf(b.Target), Source: b.Source})
	}
	r := Egress(m, s)
	for _, e := range r.Endpoints {
		d.add(Capability{"kind": KindEgress, "host": e.Host, "port": e.Port, "access": e.Access.String(), "source": string(e.Source)})
	}
	d.credentials(m)
	for _, relay := range m.Agent.Relays {
		d.add(Capability{"kind": KindRelay, "path": relay.Dest, "sources": relaySources(relay)})
	}
	if b := m.Agent.Broker; b.Enabled && b.Bin != "" {
		d.add(Capability{"kind": KindBrokerBin, "bin": b.Bin})
	}
	if hooks := hooks(m); len(hooks) > 0 {
		d.add(Capability{"kind": KindCommands, "present": true, "hooks": hooks})
	}
	d.more(m, r)
	return d
}

func (d *Document) add(c Capability) { d.Capabilities = append(d.Capabilities, c) }

func targetOf(t outputs.Target) *Target {
	switch {
	case t.None():
		return nil
	case !t.Open():
		return &Target{Fixed: t.Fixed}
	case t.Param == "":
		return &Target{Open: &Open{Scope: t.Scope}}
	default:
		return &Target{Open: &Open{Scope: t.Scope, Param: &t.Param}}
	}
}

// credentials lists the variables of the agent, whose values are in its reach
// whatever the manifest says, and then what else is declared.
func (d *Document) credentials(m *manifest.Manifest) {
	declared := map[string]manifest.Secret{}
	for _, s := range m.Secrets {
		declared[s.Name] = s
	}
	var names []string
	for _, v := range m.Agent.Env {
		names = append(names, v.Name)
	}
	slices.Sort(names)
	for _, name := range names {
		s, ok := declared[name]
		if !ok {
			s = manifest.Secret{System: Undeclared, Scope: Undeclared}
		}
		d.add(credential(name, manifest.ContextAgent, s))
	}
	for _, s := range m.Secrets {
		if !slices.Contains(names, s.Name) {
			d.add(credential(s.Name, s.Context, s))
		}
	}
}

func credential(name, context string, s manifest.Secret) Capability {
	return Capability{"kind": KindCredential, "name": name, "context": context, "system": s.System, "scope": s.Scope}
}

// relaySources says what a relay draws from, expansions of a template included.
func relaySources(r manifest.Relay) []string {
	switch {
	case r.FromFile != "":
		return []string{"file:" + r.File}
	case r.FromCmd != "":
		return []string{"cmd:" + r.FromCmd}
	}
	out := []string{"template"}
	for _, e := range r.Expansions() {
		if e = strings.Replace(e, "file64:", "file:", 1); !slices.Contains(out, e) {
			out = append(out, e)
		}
	}
	return out
}

// hooks are the manifest's keys whose commands run where the engine runs, with
// its reach.
func hooks(m *manifest.Manifest) []string {
	var out []string
	add := func(key, command string) {
		if strings.TrimSpace(command) != "" {
			out = append(out, key)
		}
	}
	add("workspace.setup_cmd", m.Workspace.SetupCmd)
	if j := m.Judge; j != nil {
		add("judge.measure_cmd", j.MeasureCmd)
		if s := j.Selftest; s != nil {
			add("judge.selftest.good_cmd", s.GoodCmd)
			add("judge.selftest.bad_cmd", s.BadCmd)
		}
	}
	add("world.apply_cmd", m.World.ApplyCmd)
	add("world.snapshot_cmd", m.World.SnapshotCmd)
	add("world.restore_cmd", m.World.RestoreCmd)
	for _, b := range m.Builds {
		add("build."+b.Name+".command", b.Command)
	}
	for _, r := range m.Agent.Relays {
		runs := slices.ContainsFunc(r.Expansions(), func(e string) bool { return strings.HasPrefix(e, "cmd:") })
		if (r.FromCmd != "" || runs) && !slices.Contains(out, "agent.relay") {
			out = append(out, "agent.relay")
		}
	}
	if m.Workflow.OutsideSandbox() {
		out = append(out, "workflow")
	}
	return out
}

// more is what an approver wants to know beside the classic list.
func (d *Document) more(m *manifest.Manifest, r egress.Resolution) {
	d.add(Capability{"kind": KindTransport, "name": m.Agent.Backend, "sandboxed": m.Agent.Sandboxed()})
	for _, b := range r.Binaries {
		d.add(Capability{"kind": KindBinary, "path": b.Path, "source": string(b.Source)})
	}
	for _, p := range r.ReadOnlyPaths {
		d.add(Capability{"kind": KindReadOnly, "path": p})
	}
	for _, e := range r.Deny {
		d.add(Capability{"kind": KindDeny, "host": e.Host, "port": e.Port})
	}
	for _, name := range m.Workflow.Env {
		plain := strings.TrimSuffix(name, "?")
		d.add(Capability{"kind": KindVariable, "name": plain, "optional": plain != name})
	}
}
