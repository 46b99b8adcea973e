package manifest_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/crucible-engine/crucible/core/manifest"
)

// sections has every key of the sections that whole leaves out, but those of
// [outputs], [capabilities], [agent.openshell] and [agent.broker].
const sections = `edition = 2
[repo]
path = "."
[agent]
backend = "openshell"
sandbox_image = "quay.io/x/agent:1"
toolbox_dir = "checks"
toolbox_exclude = ["deep", "b.txt"]
disallowed_tools = ["Bash", "mcp__broker__deploy"]
[[agent.relay]]
dest = "/run/key"
from_file = "./GOAL.md"
[[agent.relay]]
dest = "/run/token"
template = "t = ${env:TOKEN}\n${cmd:id {}}${file64:/etc/hosts}"
[[agent.relay]]
dest = "/run/lease"
from_cmd = "vault read"
[judge]
measure_cmd = "./measure.sh"
direction = "lower"
[judge.selftest]
good_cmd = "git apply good.patch"
bad_cmd = "git apply bad.patch"
runs = 5
timeout = "90s"
[search]
wide = 3
approaches = ["a", "b", "c", "d"]
policy = "top-k"
policy_k = 2
[workflow]
type = "custom"
result = "last"
file = "method.md"
env = ["CI", "HTTP_PROXY?"]
[workflow.params]
depth = 3
[publish]
pr_repo = "o/r"
[build.plain]
mode = "none"
[build.conf]
mode = "config"
base = "quay.io/x/b:1"
[build.layer]
mode = "derive-layer"
base = "quay.io/x/b:1"
target = "quay.io/x/c"
sources = ["src/", "run.py"]
prefix = "/app"
timeout = "5m"
[build.image]
mode = "image"
target = "quay.io/x/d"
containerfile = "build/Containerfile"
command = "make image"
retries = 1
[build.remote.github]
repo = "o/builds"
workflow = "image.yml"
`

func TestSections(t *testing.T) {
	t.Parallel()
	dir := newPack(t)
	m := load(t, dir, sections)
	at := func(name string) string { return filepath.Join(dir, name) }
	a := m.Agent
	got := []any{
		m.Edition, a.SandboxImage, a.ToolboxDir, a.ToolboxExclude, a.DisallowedTools, a.Relays, *m.Judge.Selftest, m.Search,
		m.Workflow.Type, m.Workflow.Result, m.Workflow.File, m.Workflow.Env, m.Workflow.Params[0].Name, m.Workflow.Params[0].Value.Any(), m.Publish, m.Builds,
	}
	half, none := 30*time.Minute, manifest.BuildNone
	want := []any{
		uint32(2), "quay.io/x/agent:1", at("checks"), []string{"deep", "b.txt"}, []string{"Bash", "mcp__broker__deploy"},
		[]manifest.Relay{
			{Dest: "/run/key", FromFile: at("GOAL.md"), File: "./GOAL.md"},
			{Dest: "/run/token", Template: "t = ${env:TOKEN}\n${cmd:id {}}${file64:/etc/hosts}"},
			{Dest: "/run/lease", FromCmd: "vault read"},
		},
		manifest.Selftest{GoodCmd: "git apply good.patch", BadCmd: "git apply bad.patch", Runs: 5, Timeout: 90 * time.Second},
		manifest.Search{Wide: 3, Approaches: []string{"a", "b", "c", "d"}, Policy: manifest.PolicyTopK, PolicyK: 2},
		manifest.Custom, "last", at("method.md"), []string{"CI", "HTTP_PROXY?"}, "depth", int64(3), manifest.Publish{PRRepo: "o/r"},
		[]manifest.Build{
			{Name: "plain", Mode: none, Prefix: "/", Timeout: half, Retries: 3},
			{Name: "conf", Mode: manifest.BuildConfig, Base: "quay.io/x/b:1", Prefix: "/", Timeout: half, Retries: 3},
			{Name: "layer", Mode: manifest.BuildLayer, Base: "quay.io/x/b:1", Target: "quay.io/x/c", Sources: []string{"src", "run.py"}, Prefix: "/app", Timeout: 5 * time.Minute, Retries: 3},
			{Name: "image", Mode: manifest.BuildImage, Target: "quay.io/x/d", Containerfile: "build/Containerfile", Command: "make image", Prefix: "/", Timeout: half, Retries: 1},
			{Name: "remote", Prefix: "/", Timeout: half, Retries: 3, Dispatch: "o/builds", Workflow: "image.yml", Ref: "main"},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got := strings.Join(a.Relays[1].Expansions(), "|"); got != "env:TOKEN|cmd:id {}|file64:/etc/hosts" {
		t.Errorf("expansions %s", got)
	}
	roundTrip(t, m.Path, m)
}

// Defaults hold where a section says nothing.
func TestSectionDefaults(t *testing.T) {
	t.Parallel()
	m := load(t, newPack(t), complete("[judge]\nmeasure_cmd = \"m\"\ndirection = \"lower\"\n[judge.selftest]\ngood_cmd = \"g\"\nbad_cmd = \"b\"\n"))
	got := []any{m.Edition, m.Judge.Selftest.Runs, m.Search, m.Workflow.Type, m.Publish, len(m.Builds), m.Workflow.OutsideSandbox()}
	want := []any{uint32(1), uint32(1), manifest.Search{Policy: "top-k", PolicyK: 1}, "autoresearch", manifest.Publish{}, 0, false}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
