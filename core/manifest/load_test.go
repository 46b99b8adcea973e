package manifest_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/crucible-engine/crucible/core/decide"
	"github.com/crucible-engine/crucible/core/diag"
	"github.com/crucible-engine/crucible/core/egress"
	"github.com/crucible-engine/crucible/core/manifest"
)

const whole = `
[repo]
url = "https://example.com/r.git"
ref = "main"
[workspace]
dir = "ws"
setup_cmd = "make setup"
setup_timeout = "1h30m"
inject = ["checks/*.sh", { src = "GOAL.md", dst = "./docs//goal.md", frozen = false }]
[agent]
backend = "my-transport2"
harness = "codex"
model = "m-1"
reasoning_effort = "xhigh"
method_prompt = "method.md"
goal_file = "GOAL.md"
agent_cmd = "./propose.sh"
[agent.env]
B_TOKEN = "sesame"
A = ""
[judge]
measure_cmd = "./measure.sh"
measure_timeout = "10m"
direction = "higher"
tiebreak_direction = "lower"
objective = "ops/s"
skip_baseline = true
[world]
apply_cmd = "a"
apply_timeout = "1s"
snapshot_cmd = "s"
snapshot_timeout = "2s"
restore_cmd = "r"
restore_timeout = "3s"
`

func load(t *testing.T, dir, text string) *manifest.Manifest {
	t.Helper()
	path := filepath.Join(dir, "crucible.toml")
	write(t, path, text)
	m, err := manifest.Load(path)
	check(t, err)
	return m
}

func TestLoadWhole(t *testing.T) {
	t.Parallel()
	dir := newPack(t)
	got := load(t, dir, whole)
	want := &manifest.Manifest{
		Path: filepath.Join(dir, "crucible.toml"),
		Dir:  dir,
		Text: []byte(whole),
		Repo: &manifest.Repo{URL: "https://example.com/r.git", Ref: "main"},
		Workspace: manifest.Workspace{
			Dir: filepath.Join(dir, "ws"), SetupCmd: "make setup", SetupTimeout: 90 * time.Minute,
			Inject: []manifest.Inject{
				{Src: filepath.Join(dir, "checks/a.sh"), Dst: "checks/a.sh", Frozen: true, Mode: 0o644},
				{Src: filepath.Join(dir, "GOAL.md"), Dst: "docs/goal.md", Mode: 0o644},
			},
		},
		Agent: manifest.Agent{
			Backend: "my-transport2", Harness: "codex", Model: "m-1", ReasoningEffort: "xhigh",
			MethodPrompt: filepath.Join(dir, "method.md"), GoalFile: filepath.Join(dir, "GOAL.md"), AgentCmd: "./propose.sh",
			Env:    []manifest.EnvVar{{Name: "B_TOKEN", Value: "sesame"}, {Name: "A"}},
			Egress: egress.Declaration{InheritDefaults: true}, Broker: manifest.Broker{Bind: "0.0.0.0:8849", Name: "broker"},
		},
		Judge: &manifest.Judge{
			MeasureCmd: "./measure.sh", MeasureTimeout: 10 * time.Minute,
			Rule: decide.Rule{Direction: decide.Higher, Tiebreak: decide.Lower}, Objective: "ops/s", SkipBaseline: true,
		},
		World: manifest.World{
			ApplyCmd: "a", SnapshotCmd: "s", RestoreCmd: "r",
			ApplyTimeout: time.Second, SnapshotTimeout: 2 * time.Second, RestoreTimeout: 3 * time.Second,
		},
		Edition: 1, Search: manifest.Search{Policy: manifest.PolicyTopK, PolicyK: 1}, Workflow: manifest.Workflow{Type: manifest.Autoresearch},
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(manifest.Manifest{}, manifest.EnvVar{})); diff != "" {
		t.Error(diff)
	}
	if !got.World.HasCommands() || got.Inside() || got.Repo.Source() != "https://example.com/r.git" {
		t.Errorf("commands %v, inside %v, source %s", got.World.HasCommands(), got.Inside(), got.Repo.Source())
	}
}

func TestLoadDefaults(t *testing.T) {
	t.Parallel()
	dir := newPack(t)
	m := load(t, dir, complete(""))
	if m.Workspace.Dir != filepath.Join(dir, "workspace") || m.Workspace.Inject != nil {
		t.Errorf("workspace %+v", m.Workspace)
	}
	if m.Repo.Path != "." || m.Repo.Dir != dir || m.Repo.Source() != "." {
		t.Errorf("repo %+v", m.Repo)
	}
	if m.Agent.Harness != "claude" || m.Judge.Objective != "score" || m.World.HasCommands() {
		t.Errorf("%+v %+v %+v", m.Agent, m.Judge, m.World)
	}
	if m.Judge.Rule.Tiebreak != decide.Lower {
		t.Errorf("the tiebreak goes %s", m.Judge.Rule.Tiebreak)
	}
	text := strings.Replace(complete("[agent]\n"), "[agent]\n", "[agent]\nmodel = \"m\"\n", 1)
	if m := load(t, dir, text); m.Agent.Backend != "local" {
		t.Errorf("backend %s", m.Agent.Backend)
	}
}

func TestSecretsAreNotPrinted(t *testing.T) {
	t.Parallel()
	m := load(t, newPack(t), whole)
	for _, format := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
		if got := fmt.Sprintf(format, m.Agent); strings.Contains(got, "sesame") {
			t.Errorf("%s shows %s", format, got)
		}
	}
}

func TestLoadWorkspaceThroughLinks(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, dir, want string
		inside          bool
	}{
		{"a link", "wslink", "workspace", false},
		{"below a link", "wslink/sub", "workspace/sub", false},
		{"not there", "x/y", "x/y", false},
		{"a link to nothing", "dangling/x", "nowhere/x", false},
		{"the manifest's directory", ".", "", true},
		{"the manifest's directory by a link", "inner/../selflink", "", true},
		{"around the manifest", "..", "..", true},
		{"dots behind a link", "wslink/..", "", true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			dir := newPack(t)
			check(t, os.Symlink(".", filepath.Join(dir, "selflink")))
			if tc.dir == ".." {
				check(t, os.MkdirAll(filepath.Join(dir, "..", ".git"), 0o755)) // one that is no repository is refused
			}
			m := load(t, dir, complete("[workspace]\ndir = \""+tc.dir+"\"\n"))
			if want := filepath.Join(dir, tc.want); m.Workspace.Dir != want {
				t.Errorf("workspace %s, want %s", m.Workspace.Dir, want)
			}
			if m.Inside() != tc.inside || (len(m.Warnings) == 1) != tc.inside {
				t.Errorf("inside %v, warnings %v", m.Inside(), m.Warnings)
			}
		})
	}
}

// TestLoadFollowsTheManifest: what counts is where the file really is.
func TestLoadFollowsTheManifest(t *testing.T) {
	t.Parallel()
	dir := newPack(t)
	write(t, filepath.Join(dir, "ws/crucible.toml"), complete("[workspace]\ndir = \".\"\n"))
	link := filepath.Join(dir, "link.toml")
	check(t, os.Symlink("ws/crucible.toml", link))
	m, err := manifest.Load(link)
	check(t, err)
	if m.Dir != filepath.Join(dir, "ws") || !m.Inside() || m.RelPath() != "crucible.toml" {
		t.Errorf("dir %s, inside %v, rel %s", m.Dir, m.Inside(), m.RelPath())
	}
}

func TestLoadUnreadable(t *testing.T) {
	t.Parallel()
	dir := newPack(t)
	write(t, filepath.Join(dir, "huge.toml"), strings.Repeat("# x\n", 1<<20))
	write(t, filepath.Join(dir, "utf8.toml"), "[repo]\n# \xff\xfe\n")
	write(t, filepath.Join(dir, "utf16.toml"), "\xff\xfe[\x00r\x00")
	write(t, filepath.Join(dir, "nul.toml"), "[repo]\n\x00")
	write(t, filepath.Join(dir, "bom.toml"), "\xef\xbb\xbf[repo]\n")
	for _, tc := range []struct {
		file, want string
		is         error
	}{
		{"nope.toml", "nope.toml: no such file; write a manifest there, or name one with --manifest", fs.ErrNotExist},
		{"checks", `checks: is a directory, not a file; name the file: "checks/crucible.toml"`, nil},
		{"GOAL.md/x", "GOAL.md/x: not a directory", syscall.ENOTDIR},
		{"fifo", "fifo: is not a regular file", nil},
		{"loop", "loop: too many levels of symbolic links", nil},
		{"huge.toml", "huge.toml: a manifest may have at most 1048576 bytes", nil},
		{"utf8.toml", "utf8.toml:2:3: the file is not valid UTF-8", nil},
		{"utf16.toml", "utf16.toml:1:4: the file holds a NUL byte, so it is not a text file", nil},
		{"nul.toml", "nul.toml:2:1: the file holds a NUL byte, so it is not a text file", nil},
		{"bom.toml", "bom.toml:1:1: the file starts with a byte order mark; save it as UTF-8 without one", nil},
	} {
		t.Run(tc.file, func(t *testing.T) {
			t.Parallel()
			_, err := manifest.Load(filepath.Join(dir, tc.file))
			if err == nil {
				t.Fatal("no error")
			}
			if got := strings.ReplaceAll(err.Error(), dir+"/", ""); got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
			if tc.is != nil && !errors.Is(err, tc.is) {
				t.Errorf("%v is not %v", err, tc.is)
			}
		})
	}
	if _, err := manifest.Load("/dev/null"); err == nil || err.Error() != "/dev/null: is not a regular file" {
		t.Errorf("/dev/null: %v", err)
	}
	if _, err := manifest.Load(""); err == nil {
		t.Error("no path is no error")
	}
}

func TestLoadFaultsAreAList(t *testing.T) {
	t.Parallel()
	dir := newPack(t)
	write(t, filepath.Join(dir, "crucible.toml"), "x = 1\ny = 2\n")
	_, err := manifest.Load(filepath.Join(dir, "crucible.toml"))
	var list diag.List
	if !errors.As(err, &list) || len(list) != 4 {
		t.Errorf("%v", err)
	}
}

func TestReadText(t *testing.T) {
	t.Parallel()
	dir := newPack(t)
	write(t, filepath.Join(dir, "bad"), "\xff")
	write(t, filepath.Join(dir, "nul"), "\x00")
	if got, err := manifest.ReadText(filepath.Join(dir, "GOAL.md")); got != "make it smaller\n" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	for _, name := range []string{"large", "bad", "nul", "fifo", "checks", "nope"} {
		if _, err := manifest.ReadText(filepath.Join(dir, name)); err == nil {
			t.Errorf("%s is read", name)
		}
	}
}
