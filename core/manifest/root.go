package manifest

import (
	"path/filepath"
	"slices"
	"strings"
)

// pack reads one document into a manifest.
type pack struct {
	doc *document
	m   *Manifest
	// frozen is nil when the working tree is trusted.
	frozen *Record
	// lookup gives a variable of the engine's environment.
	lookup func(name string) (value string, set bool)
	// visited counts the names that the expansion of inject strings looked at.
	visited int
}

// root reads the top level. The order of the file does not matter: checks that
// need two sections come after all sections are read.
func (p *pack) root() {
	top := value{doc: p.doc, node: p.doc.root}
	p.m.Edition, p.m.Workflow.Type, p.m.Search = 1, Autoresearch, Search{Policy: PolicyTopK, PolicyK: 1}
	var workspace, workflow value
	fields := []field{
		table("repo", p.repo),
		table("workspace", func(v value) { workspace = v }),
		table("agent", p.agent),
		table("judge", p.judge),
		table("world", p.world),
		number("edition", &p.m.Edition, 1, 2),
		table("search", p.search),
		table("workflow", func(v value) { workflow = v }),
		table("publish", p.publish),
		named("build", p.build),
		table("outputs", p.outputs),
		table("capabilities", p.capabilities),
		{name: "params", refused: true, read: func(v value) {
			v.doc.fault(v.key, v.path, "write [workflow.params]", "unknown key")
		}},
	}
	top.read(append(fields, refused("component", "composite", "deploy", "mcp", "measure", "preflight", "secret")...)...)
	if workflow.node != nil { // it depends on the edition
		p.workflow(workflow)
	}
	if workspace.node == nil {
		workspace = value{doc: p.doc, path: "workspace", node: &node{kind: kindTable}}
	}
	p.workspace(workspace)
	p.require(top)
	p.lanes(top)
}

// require records the sections that every manifest has to have. Only a playbook
// works on nothing.
func (p *pack) require(top value) {
	for _, s := range []struct{ name, hint string }{
		{"repo", `write [repo] with url = "…" or path = "…"`},
		{"agent", `write [agent] with backend = "command" and agent_cmd = "…"`},
	} {
		if !top.has(s.name) && (s.name != "repo" || p.m.Workflow.Type != Playbook) {
			top.missing(s.name, s.hint)
		}
	}
}

// recorded reports whether the record has settled what inject strings stand for.
func (p *pack) recorded() bool { return p.frozen != nil && p.frozen.inside() }

// ofBase reports whether the base commit holds a file of the pack, so that what
// the working tree holds says nothing about it.
func (p *pack) ofBase(path string) bool { return p.frozen != nil && inside(p.frozen.Workspace, path) }

// locate turns a path of the manifest into an absolute one. Links are resolved
// only where "..", which means something else behind a link, makes it necessary.
func (p *pack) locate(name string) string {
	path := under(p.m.Dir, name)
	if slices.Contains(strings.Split(path, "/"), "..") {
		if real, err := resolve(path); err == nil {
			return real
		}
	}
	return filepath.Clean(path)
}
