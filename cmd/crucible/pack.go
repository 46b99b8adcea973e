package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/crucible-engine/crucible/core/manifest"
	"github.com/crucible-engine/crucible/core/prompt"
	"github.com/crucible-engine/crucible/core/wire"
	"github.com/crucible-engine/crucible/sdk/transport"
)

// agentOverrides are the parts of [agent] that the command line replaces; empty
// means the manifest's.
type agentOverrides struct {
	backend, harness, model, effort string
}

func (o agentOverrides) apply(a *manifest.Agent) {
	for _, s := range []struct {
		value  string
		target *string
	}{
		{o.backend, &a.Backend}, {o.harness, &a.Harness}, {o.model, &a.Model}, {o.effort, &a.ReasoningEffort},
	} {
		if s.value != "" {
			*s.target = s.value
		}
	}
}

func checkEffort(effort string) error {
	efforts := []string{"low", "medium", "high", "xhigh", "max"}
	if effort == "" || slices.Contains(efforts, effort) {
		return nil
	}
	return usageError("--effort %q: want %s", effort, strings.Join(efforts, ", "))
}

// goalHint names the run before the manifest that counts is known.
func (o *runOptions) goalHint(m *manifest.Manifest) string {
	if o.goal != "" || m == nil {
		return o.goal
	}
	return m.Agent.Goal
}

// goalText is the goal that counts: the command line's, else the manifest's
// inline goal, else its goal file.
func (o *runOptions) goalText(ctx context.Context, m *manifest.Manifest) (goal string, err error) {
	path := m.Agent.GoalFile
	switch {
	case o.goal != "":
		return o.goal, nil
	case o.goalFile != "":
		path = o.goalFile
		goal, err = manifest.ReadText(path)
	case m.Agent.Goal != "":
		return m.Agent.Goal, nil
	case path == "":
		return "", fmt.Errorf("%s: no goal: set [agent].goal or [agent].goal_file, or give --goal", m.Path)
	default:
		goal, err = m.ReadText(ctx, path)
	}
	if err != nil {
		return "", fmt.Errorf("read the goal: %s: %w", path, err)
	}
	if strings.TrimSpace(goal) == "" {
		return "", fmt.Errorf("read the goal: %s is empty", path)
	}
	return goal, nil
}

func templateText(ctx context.Context, m *manifest.Manifest) (string, error) {
	if m.Agent.MethodPrompt == "" {
		return prompt.DefaultTemplate, nil
	}
	text, err := m.ReadText(ctx, m.Agent.MethodPrompt)
	if err != nil {
		return "", fmt.Errorf("read the method prompt: %s: %w", m.Agent.MethodPrompt, err)
	}
	return text, nil
}

// turn is the request that every turn of the run is made from. The agent's
// environment is the operator's, then [agent].env.
func (r *packRun) turn(m *manifest.Manifest) transport.Turn {
	var env []transport.EnvVar
	for _, entry := range os.Environ() {
		if name, value, ok := strings.Cut(entry, "="); ok && name != "" {
			env = append(env, transport.EnvVar{Name: name, Value: value})
		}
	}
	for _, v := range m.Agent.Env {
		env = append(env, transport.EnvVar{Name: v.Name, Value: v.Value, Secret: true})
	}
	return transport.Turn{
		RunID: r.runID, Task: "propose", Workspace: m.Workspace.Dir,
		Harness: transport.Harness{Name: m.Agent.Harness, Model: m.Agent.Model, Effort: m.Agent.ReasoningEffort},
		Env:     env, Command: m.Agent.AgentCmd,
	}
}

func secretValues(env []manifest.EnvVar) []string {
	var values []string
	for _, v := range env {
		values = append(values, v.Value)
	}
	return values
}

// toolIO reports whether the input and result of the agent's tools go on
// record. [agent].env goes before the engine's own environment.
func toolIO(m *manifest.Manifest) bool {
	const name = "CRUCIBLE_SESSION_TOOL_IO"
	for _, v := range slices.Backward(m.Agent.Env) {
		if v.Name == name {
			return v.Value == "full"
		}
	}
	return os.Getenv(name) == "full"
}

// opening is what the log says before the baseline.
func (r *packRun) opening() []wire.Event {
	id := r.pack.Identity
	data := wire.IdentityData{
		ManifestHash: id.ManifestHash, InjectHash: id.InjectHash, SeedHash: id.SeedHash,
		MeasureCmd: id.MeasureCmd, Direction: id.Direction, Rig: wire.Rig(id.Rig), Digest: id.Digest,
	}
	for _, c := range id.Components {
		data.Components = append(data.Components, wire.Component(c))
	}
	for _, slot := range r.unknownSlots {
		r.pack.Notes = append(r.pack.Notes, "WARNING: "+slot+" in the method prompt is no slot: it reaches the agent as it is")
	}
	events := []wire.Event{wire.Identity{Identity: data}, usedPlugins(r.plugins)}
	for _, text := range append(overrideNotes(r.options.plugins.overrides), r.pack.Notes...) {
		events = append(events, wire.Note{Msg: text})
	}
	return events
}
