package manifest

import (
	"regexp"
	"strings"

	"github.com/crucible-engine/crucible/core/diag"
	"github.com/crucible-engine/crucible/core/egress"
)

// agent reads [agent].
func (p *pack) agent(t value) {
	a := &p.m.Agent
	a.Backend, a.Harness = "local", egress.Claude
	a.Egress.InheritDefaults = true
	a.Broker = Broker{Bind: "0.0.0.0:8849", Name: "broker"}
	var method, goalFile, toolbox string
	fields := []field{
		word("backend", &a.Backend),
		choice("harness", &a.Harness, egress.Claude, egress.Codex, egress.Hermes, egress.OpenCode, egress.Pi),
		word("model", &a.Model),
		choice("reasoning_effort", &a.ReasoningEffort, "low", "medium", "high", "xhigh", "max"),
		text("method_prompt", &method),
		textUpTo("goal", &a.Goal, MaxText),
		text("goal_file", &goalFile),
		text("agent_cmd", &a.AgentCmd),
		table("env", p.agentEnv),
		word("sandbox_image", &a.SandboxImage),
		text("toolbox_dir", &toolbox),
		words("toolbox_exclude", &a.ToolboxExclude),
		words("disallowed_tools", &a.DisallowedTools),
		tables("relay", p.relay),
		table("openshell", p.openshell),
		table("broker", p.broker),
	}
	t.read(append(fields, refused("allow_unverified_image", "codex", "hermes", "mcp", "prefers", "requires", "resources",
		"sandbox", "seed_diff", "tool_plugins")...)...)
	a.MethodPrompt = p.textFile(t.at("method_prompt"), method)
	a.ToolboxDir = p.toolbox(t, toolbox)
	a.GoalFile = p.textFile(t.at("goal_file"), goalFile)
	if !pluginName(a.Backend) {
		t.at("backend").fault("", "%s is not the name of a transport: lower-case letters, digits and single dashes, at most 64",
			diag.Quote(a.Backend, shown))
	}
	if a.Backend == "command" && blank(t, "agent_cmd") {
		t.at("backend").fault(`write agent_cmd = "…"`, "the command backend needs agent_cmd")
	}
	if a.Goal != "" && goalFile != "" {
		t.at("goal_file").warn("keep one of them", "goal is given too and wins")
	}
}

// pluginName reports whether s can name a plugin: it becomes part of a file name.
func pluginName(s string) bool {
	ok, err := regexp.MatchString(`^[a-z0-9]+(-[a-z0-9]+)*$`, s)
	return err == nil && ok && len(s) <= 64
}

// Limits on [agent.env].
const (
	maxEnv = 256
	// maxEnvName bounds a name, in bytes.
	maxEnvName = 128
)

// agentEnv reads [agent.env]. Messages never show a value.
func (p *pack) agentEnv(t value) {
	if len(t.node.keys) > maxEnv {
		t.fault("", "%d variables are given, more than the limit of %d", len(t.node.keys), maxEnv)
		return
	}
	for _, e := range t.node.keys {
		v := t.at(e.name)
		if !envName(e.name) {
			t.doc.fault(e.at, v.path, "use letters, digits and underscores, not starting with a digit, at most 128",
				"not a name that an environment variable can have")
			continue
		}
		if s, ok := p.envValue(v); ok {
			p.m.Agent.Env = append(p.m.Agent.Env, EnvVar{e.name, s, v.node.text})
		}
	}
}

func envName(s string) bool {
	return s != "" && len(s) <= maxEnvName && (s[0] < '0' || s[0] > '9') &&
		strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") == ""
}
