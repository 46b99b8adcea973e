package manifest

import (
	"bytes"
	"fmt"
	"slices"
	"time"

	"github.com/pelletier/go-toml/v2"

	"github.com/crucible-engine/crucible/core/egress"
	"github.com/crucible-engine/crucible/core/outputs"
)

// Format writes the manifest as TOML in one form: sections and keys in the order
// of their names, defaults written out, paths absolute, inject strings replaced
// by the files that they stood for. Parsing the result gives the same value. A
// value of [agent.env] is written as the manifest spells it, so a secret that is
// not in the manifest is not in the result.
func (m *Manifest) Format() ([]byte, error) {
	top := tomlTable{"edition": m.Edition, "agent": m.Agent.format(), "workspace": m.Workspace.format()}
	top.put("repo", m.Repo.format())
	top.put("judge", m.Judge.format())
	top.put("world", m.World.format())
	top.put("search", m.Search.format())
	top.put("workflow", m.Workflow.format())
	top.put("publish", tomlTable{}.with("pr_repo", m.Publish.PRRepo))
	builds := tomlTable{}
	for _, b := range m.Builds {
		builds[b.Name] = b.format()
	}
	top.put("build", builds)
	bounds := tomlTable{}
	for kind, b := range m.Outputs {
		bounds[string(kind)] = formatBound(b)
	}
	top.put("outputs", bounds)
	var secrets []tomlTable
	for _, s := range m.Secrets {
		secrets = append(secrets, tomlTable{"name": s.Name, "context": s.Context, "system": s.System, "scope": s.Scope})
	}
	if secrets != nil {
		top["capabilities"] = tomlTable{"secret": secrets}
	}
	var b bytes.Buffer
	if err := toml.NewEncoder(&b).Encode(top); err != nil {
		return nil, fmt.Errorf("format the manifest: %w", err)
	}
	return b.Bytes(), nil
}

// tomlTable is a table of the result. Empty values are left out, as they mean the
// same as absence.
type tomlTable map[string]any

// put sets a key to a table that holds something.
func (t tomlTable) put(key string, value tomlTable) {
	if len(value) > 0 {
		t[key] = value
	}
}

// with sets a key to a text that is not empty.
func (t tomlTable) with(key, value string) tomlTable {
	if value != "" {
		t[key] = value
	}
	return t
}

func (t tomlTable) list(key string, values []string) tomlTable {
	if len(values) > 0 {
		t[key] = values
	}
	return t
}

func (t tomlTable) limit(key string, d time.Duration) tomlTable {
	if d > 0 {
		t[key] = d.String()
	}
	return t
}

func (r *Repo) format() tomlTable {
	if r == nil {
		return nil
	}
	return tomlTable{}.with("url", r.URL).with("path", r.Path).with("ref", r.Ref)
}

func (w Workspace) format() tomlTable {
	t := tomlTable{"dir": w.Dir}.with("setup_cmd", w.SetupCmd).limit("setup_timeout", w.SetupTimeout)
	var injects []tomlTable
	for _, e := range w.Inject {
		injects = append(injects, tomlTable{"src": e.Src, "dst": e.Dst, "frozen": e.Frozen})
	}
	if injects != nil {
		t["inject"] = injects
	}
	return t
}

func (a Agent) format() tomlTable {
	t := tomlTable{"backend": a.Backend, "harness": a.Harness, "openshell": formatEgress(a.Egress), "broker": a.Broker.format()}
	t.with("model", a.Model).with("reasoning_effort", a.ReasoningEffort).with("method_prompt", a.MethodPrompt).with("goal", a.Goal).
		with("goal_file", a.GoalFile).with("agent_cmd", a.AgentCmd).with("sandbox_image", a.SandboxImage).with("toolbox_dir", a.ToolboxDir).
		list("toolbox_exclude", a.ToolboxExclude).list("disallowed_tools", a.DisallowedTools)
	env := tomlTable{}
	for _, v := range a.Env {
		env[v.Name] = v.spelled
	}
	t.put("env", env)
	var relays []tomlTable
	for _, r := range a.Relays {
		relays = append(relays, tomlTable{"dest": r.Dest}.with("template", r.Template).with("from_file", r.File).with("from_cmd", r.FromCmd))
	}
	if relays != nil {
		t["relay"] = relays
	}
	return t
}

func (b Broker) format() tomlTable {
	return tomlTable{"enabled": b.Enabled, "bind": b.Bind, "name": b.Name, "build": b.Build}.with("url", b.URL).with("bin", b.Bin)
}

func formatEgress(d egress.Declaration) tomlTable {
	texts := func(list []egress.Endpoint) (out []string) {
		for _, e := range list {
			out = append(out, e.String())
		}
		return out
	}
	return tomlTable{"inherit_defaults": d.InheritDefaults}.list("endpoints", texts(d.Endpoints)).list("deny_endpoints", texts(d.DenyEndpoints)).
		list("binaries", d.Binaries).list("deny_binaries", d.DenyBinaries).list("read_only_paths", d.ReadOnlyPaths)
}

func (j *Judge) format() tomlTable {
	if j == nil {
		return nil
	}
	t := tomlTable{"direction": j.Rule.Direction.String(), "tiebreak_direction": j.Rule.Tiebreak.String(), "objective": j.Objective, "skip_baseline": j.SkipBaseline}
	t.with("measure_cmd", j.MeasureCmd).limit("measure_timeout", j.MeasureTimeout)
	if s := j.Selftest; s != nil {
		t["selftest"] = tomlTable{"good_cmd": s.GoodCmd, "bad_cmd": s.BadCmd, "runs": s.Runs}.limit("timeout", s.Timeout)
	}
	return t
}

func (w World) format() tomlTable {
	return tomlTable{}.with("apply_cmd", w.ApplyCmd).with("snapshot_cmd", w.SnapshotCmd).with("restore_cmd", w.RestoreCmd).
		limit("apply_timeout", w.ApplyTimeout).limit("snapshot_timeout", w.SnapshotTimeout).limit("restore_timeout", w.RestoreTimeout)
}

// format is empty for the defaults: a task lane must not have the table.
func (s Search) format() tomlTable {
	if s.Wide == 0 && s.Approaches == nil && s.Policy == PolicyTopK && s.PolicyK == 1 {
		return nil
	}
	return tomlTable{"wide": s.Wide, "policy_k": s.PolicyK}.with("policy", s.Policy).list("approaches", s.Approaches)
}

func (w Workflow) format() tomlTable {
	t := tomlTable{}.with("result", w.Result).with("file", w.File).list("env", w.Env)
	params := tomlTable{}
	for _, p := range w.Params {
		params[p.Name] = p.Value.Any()
	}
	t.put("params", params)
	var tasks []any
	for _, task := range w.Tasks {
		tasks = append(tasks, task.Table.Any())
	}
	if tasks != nil {
		t["task"] = tasks
	}
	if w.Type == Autoresearch && len(t) == 0 {
		return nil
	}
	return t.with("type", w.Type)
}

func (b Build) format() tomlTable {
	t := tomlTable{}.with("mode", string(b.Mode)).with("base", b.Base).with("target", b.Target).list("sources", b.Sources).
		with("containerfile", b.Containerfile).with("command", b.Command)
	must, may := b.Mode.needs()
	keys := slices.Concat(must, may)
	if slices.Contains(keys, "timeout") {
		t.limit("timeout", b.Timeout)
	}
	if slices.Contains(keys, "retries") {
		t["retries"] = b.Retries
	}
	if slices.Contains(keys, "prefix") {
		t.with("prefix", b.Prefix)
	}
	if b.Dispatch != "" {
		t["github"] = tomlTable{"repo": b.Dispatch}.with("workflow", b.Workflow).with("ref", b.Ref)
	}
	return t
}

func formatBound(b outputs.Bound) tomlTable {
	t := tomlTable{"count": b.Count}
	switch target := b.Target; {
	case target.Open():
		t["target"] = tomlTable{"open": tomlTable{"scope": target.Scope}.with("param", target.Param)}
	case !target.None():
		t["target"] = tomlTable{"fixed": target.Fixed}
	}
	return t
}
