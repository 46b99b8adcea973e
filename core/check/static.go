package check

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/crucible-engine/crucible/core/diag"
	"github.com/crucible-engine/crucible/core/egress"
	"github.com/crucible-engine/crucible/core/manifest"
)

// Static looks at a manifest and at the files that it names, and runs nothing.
func Static(m *manifest.Manifest, reach egress.Resolution) []Finding {
	var out []Finding
	add := func(id string, severity diag.Severity, message, fix string, keys ...string) {
		out = append(out, at(m, id, severity, message, fix, keys...))
	}
	out = append(out, OfManifest(m.Warnings)...)
	if err := m.Unsupported(); err != nil {
		add(IDNotYet, diag.Warning, err.Error(), "")
	}
	if m.Agent.Goal == "" && m.Agent.GoalFile == "" {
		if m.Judge == nil {
			add(IDGoal, diag.Error, "a pack without a judge has to say what its agent is to do", `write goal = "…" or goal_file`, "agent")
		} else {
			add(IDGoal, diag.Warning, "there is no goal: every run has to give one", `write goal = "…" or goal_file, or run with --goal`, "agent")
		}
	}
	if m.Judge == nil {
		add(IDTaskLane, diag.Warning, "without [judge] nothing is scored: whatever a turn that does not fail leaves is kept", "")
	} else if m.Judge.Selftest == nil {
		add(IDNoSelftest, diag.Warning, "nothing shows that the judge tells good from bad", "write [judge.selftest] with good_cmd and bad_cmd", "judge")
	}
	if m.World.HasCommands() && m.Agent.ToolboxDir != "" && len(m.Agent.ToolboxExclude) == 0 {
		add(IDToolbox, diag.Error, "the world has commands and the agent gets all of the toolbox", "name in toolbox_exclude what may not be the agent's", "agent", "toolbox_dir")
	}
	for _, s := range reach.Shadows {
		add(IDShadow, diag.Warning, fmt.Sprintf("%s is denied, and %s stays allowed: only the sandbox refuses the host, connection by connection",
			s.Deny.Authority(), s.Allow.Authority()), "", "agent", "openshell", "deny_endpoints")
	}
	out = append(out, credentials(m)...)
	out = append(out, containerfiles(m)...)
	for _, r := range m.Agent.Relays {
		if r.FromFile == "" {
			continue
		}
		if info, err := os.Stat(r.FromFile); err != nil || !info.Mode().IsRegular() {
			add(IDRelayFile, diag.Error, fmt.Sprintf("%s, the source of the relay to %s, is not a file", diag.Quote(r.File, 80), diag.Quote(r.Dest, 80)), "", "agent", "relay")
		}
	}
	return out
}

// Environment finds the variables that [agent.env] asks for and that are not set.
func Environment(m *manifest.Manifest) []Finding {
	var list diag.List
	if err := m.CheckEnv(); !errors.As(err, &list) {
		return nil
	}
	var out []Finding
	for _, d := range list {
		out = append(out, Finding{IDEnvUnset, d})
	}
	return out
}

// credentials looks for variables whose reach nobody declared.
func credentials(m *manifest.Manifest) []Finding {
	var out []Finding
	var undeclared []string
	for _, v := range m.Agent.Env {
		i := slices.IndexFunc(m.Secrets, func(s manifest.Secret) bool { return s.Name == v.Name })
		switch {
		case i < 0:
			undeclared = append(undeclared, v.Name)
		case m.Secrets[i].Context == manifest.ContextBroker:
			out = append(out, at(m, IDEnvContext, diag.Warning, v.Name+` is declared as the broker's alone, and the agent gets it: it is disclosed with context "agent"`,
				"take it out of [agent.env], or change its context", "agent", "env", v.Name))
		}
	}
	if len(undeclared) > 0 {
		slices.Sort(undeclared)
		out = append(out, at(m, IDEnvUndeclared, diag.Warning, fmt.Sprintf("%d variables of the agent have no declared reach: %s", len(undeclared), strings.Join(undeclared, ", ")),
			"write [[capabilities.secret]] for each", "agent", "env"))
	}
	return out
}

// containerfiles looks for recipes that the agent could edit (C-BUILD-MODE).
func containerfiles(m *manifest.Manifest) []Finding {
	var out []Finding
	for _, b := range m.Builds {
		if b.Containerfile != "" && !frozen(m, b.Containerfile) {
			out = append(out, at(m, IDContainerfile, diag.Error, fmt.Sprintf("%s builds what is measured, and the agent can edit it", diag.Quote(b.Containerfile, 80)),
				"inject it frozen", "build", b.Name, "containerfile"))
		}
	}
	return out
}

// frozen reports whether a path of the workspace is put back before every
// measurement.
func frozen(m *manifest.Manifest, path string) bool {
	return slices.ContainsFunc(m.Workspace.Inject, func(e manifest.Inject) bool { return e.Frozen && e.Dst == path })
}
