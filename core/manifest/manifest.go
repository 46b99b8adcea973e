package manifest

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/crucible-engine/crucible/core/decide"
	"github.com/crucible-engine/crucible/core/diag"
	"github.com/crucible-engine/crucible/core/egress"
	"github.com/crucible-engine/crucible/core/outputs"
)

// Manifest is one checked crucible.toml. Every path in it is absolute.
type Manifest struct {
	// Path is the file, with symbolic links resolved.
	Path string
	// Dir is the directory of Path. It anchors all relative paths (C-PATHS).
	Dir string
	// Text is exactly what was parsed: the identity of the run hashes it.
	Text      []byte
	Repo      *Repo
	Workspace Workspace
	Agent     Agent
	// Judge is nil in the task lane, which scores nothing.
	Judge *Judge
	World World
	// Edition is 1 or 2.
	Edition  uint32
	Search   Search
	Workflow Workflow
	Publish  Publish
	// Builds are in the order of the manifest.
	Builds []Build
	// Outputs holds the declared kinds alone.
	Outputs outputs.Declaration
	// Secrets are what [[capabilities.secret]] declares.
	Secrets []Secret
	// Warnings are faults that do not stop a run. The caller shows them.
	Warnings diag.List
	// base is set when the manifest was loaded by Frozen.
	base ReadBase
	// doc is what the manifest was read from.
	doc *document
	// unset are the variables that [agent.env] asks for and that are not set.
	unset diag.List
}

// Inside reports whether the manifest lies inside its own workspace, where the
// agent can write it: only then frozen loading matters (C-MANIFEST).
func (m *Manifest) Inside() bool { return inside(m.Workspace.Dir, m.Path) }

// RelPath is the manifest's path relative to the workspace, with forward
// slashes. It means something only when Inside.
func (m *Manifest) RelPath() string {
	rel, err := filepath.Rel(m.Workspace.Dir, m.Path)
	if err != nil {
		return ""
	}
	return filepath.ToSlash(rel)
}

// Repo is where the workspace comes from ([repo]). Exactly one of URL and Path is set.
type Repo struct {
	// URL and Path are as the manifest spells them: the identity of the run
	// holds them verbatim.
	URL, Path string
	// Dir is Path joined to the manifest directory. Empty with a URL.
	Dir string
	// Ref is a branch, tag or commit; empty means the remote's default branch.
	Ref string
}

// Source is what the manifest names: the URL, else the path.
func (r *Repo) Source() string {
	if r.URL != "" {
		return r.URL
	}
	return r.Path
}

// Workspace is where the agent works ([workspace]).
type Workspace struct {
	// Dir has its symbolic links resolved as far as it exists. It may be the
	// manifest directory itself, or lie outside of it.
	Dir string
	// SetupCmd replaces the clone; it runs in the manifest directory. May be empty.
	SetupCmd string
	// SetupTimeout bounds SetupCmd, 0 means no limit.
	SetupTimeout time.Duration
	// Inject is in the order of declaration, strings already expanded.
	Inject []Inject
}

// Inject is one file that the engine places in the workspace.
type Inject struct {
	// Src is an absolute path.
	Src string `json:"src"`
	// Dst is relative to the workspace, with forward slashes, without "..".
	Dst string `json:"dst"`
	// Frozen files are put back before every scored measurement.
	Frozen bool `json:"frozen"`
	// Mode holds the permission bits that the source had when it was found.
	Mode fs.FileMode `json:"mode"`
}

// Agent says who proposes changes ([agent]).
type Agent struct {
	// Backend names a transport plugin, "local" when the manifest does not say.
	Backend string
	// Harness names the agent's command line, "claude" when the manifest does not say.
	Harness string
	// Model and ReasoningEffort are empty when the harness's default applies.
	Model, ReasoningEffort string
	// MethodPrompt is the path of the prompt template, empty for the built-in one.
	MethodPrompt string
	// Goal is the inline goal, untrimmed. It wins over GoalFile.
	Goal string
	// GoalFile is a path. Both may be empty: then the command line has to give a goal.
	GoalFile string
	// AgentCmd is the shell command of the command backend.
	AgentCmd string
	// Env is in the order of the manifest. The values are secrets.
	Env []EnvVar
	// SandboxImage is empty for the engine's own.
	SandboxImage string
	// ToolboxDir holds skills for the agent, empty for none. ToolboxExclude are
	// names in it that are left out.
	ToolboxDir     string
	ToolboxExclude []string
	// DisallowedTools are passed on to the harness.
	DisallowedTools []string
	Relays          []Relay
	Egress          egress.Declaration
	Broker          Broker
}

// Sandboxed reports whether the agent runs behind walls: of the transports that
// are known by name, only openshell builds any.
func (a Agent) Sandboxed() bool { return a.Backend == "openshell" }

// EnvVar is one variable that only the agent's process gets.
type EnvVar struct {
	Name  string
	Value string
	// spelled is the value as it stands in the manifest.
	spelled string
}

// String shows the name only.
func (e EnvVar) String() string { return e.Name + "=…" }

// Format keeps %+v and %#v from showing the value.
func (e EnvVar) Format(f fmt.State, _ rune) { fmt.Fprint(f, e.String()) }

// Judge says how a candidate is scored ([judge]).
type Judge struct {
	// MeasureCmd is a shell command, never empty.
	MeasureCmd string
	// MeasureTimeout bounds one measurement, 0 means no limit.
	MeasureTimeout time.Duration
	// Rule holds the directions. The tiebreak's is the score's when not given.
	Rule decide.Rule
	// Objective is what people read beside the score, "score" when not given.
	Objective string
	// SkipBaseline: the first candidate has nothing to beat.
	SkipBaseline bool
	// Selftest is nil when the manifest has none.
	Selftest *Selftest
}

// World holds the domain's commands ([world]); an empty one does not exist.
// SnapshotCmd and RestoreCmd come together.
type World struct {
	ApplyCmd, SnapshotCmd, RestoreCmd string
	// Time limits; 0 means none.
	ApplyTimeout, SnapshotTimeout, RestoreTimeout time.Duration
}

// The worlds that a manifest can ask for.
const (
	WorldGit     = "git"
	WorldCommand = "command"
)

// Name is the world that the manifest asks for: any command given makes it the
// command world (C-MANIFEST).
func (w World) Name() string {
	if w.HasCommands() {
		return WorldCommand
	}
	return WorldGit
}

// HasCommands reports whether the manifest gives any command.
func (w World) HasCommands() bool {
	return w.ApplyCmd != "" || w.SnapshotCmd != "" || w.RestoreCmd != ""
}
