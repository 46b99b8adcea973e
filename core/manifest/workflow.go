package manifest

import (
	"strings"

	"github.com/crucible-engine/crucible/core/diag"
)

// Types of a workflow.
const (
	Autoresearch = "autoresearch" // the scored loop
	Custom       = "custom"
	Playbook     = "playbook" // runs once and scores nothing
)

// Workflow is the graph of tasks ([workflow], C-WORKFLOW). The zero value but for
// its type is the built-in loop.
type Workflow struct {
	Type string
	// Result names the task whose result is the run's.
	Result string
	// File is the absolute path of a Starlark source, in place of Tasks.
	File string
	// Env are the variables that commands of the graph get beside the fixed ones:
	// NAME, or "NAME?" for one that may be unset.
	Env []string
	// Tasks are in the order of the file.
	Tasks []Task
	// Params are the names of the bound parameters, in the order of the file.
	Params []string
}

// Task is one task as far as the manifest's reader understands it. Its other
// keys are for whoever compiles the graph.
type Task struct {
	Name, Kind string
}

// OutsideSandbox reports whether the graph runs commands of the pack's where the
// engine runs. A source that was not compiled may.
func (w Workflow) OutsideSandbox() bool {
	for _, t := range w.Tasks {
		if t.Kind == "command" || t.Kind == "evaluate" {
			return true
		}
	}
	return w.File != ""
}

// workflow reads [workflow].
func (p *pack) workflow(t value) {
	w := &p.m.Workflow
	var file string
	t.read(append([]field{
		choice("type", &w.Type, Autoresearch, Custom, Playbook), word("result", &w.Result), word("file", &file),
		list("env", func(v value, s string) { p.passedEnv(v, s) }),
		table("params", func(v value) {
			for _, e := range v.node.keys {
				w.Params = append(w.Params, e.name)
			}
		}),
		tables("task", p.task),
	}, refused("history_record")...)...)
	if t.has("file") && blank(t, "file") {
		t.at("file").fault("leave it out", "the string is empty")
	}
	if file != "" && len(w.Tasks) > 0 {
		t.at("file").fault("keep one of them", "a workflow is a file or a list of tasks, not both")
	}
	if t.has("params") && file == "" {
		t.at("params").fault("leave it out", "there is no file whose parameters could be bound")
	}
	if t.has("env") && p.m.Edition < 2 {
		t.at("env").fault("write edition = 2 at the top", "edition 1 passes the whole environment on")
	}
	w.File = p.textFile(t.at("file"), file)
}

// passedEnv is one entry of [workflow].env.
func (p *pack) passedEnv(v value, s string) {
	if !envName(strings.TrimSuffix(s, "?")) {
		v.fault(`write NAME, or "NAME?" when it may be unset`, "%s is not a name that a variable can have", diag.Quote(s, shown))
		return
	}
	p.m.Workflow.Env = append(p.m.Workflow.Env, s)
}

// task reads what the disclosure has to know of a task. Other keys are checked
// by whoever compiles the graph.
func (p *pack) task(t value) {
	var out Task
	for _, f := range []field{word("name", &out.Name), word("kind", &out.Kind)} {
		if t.has(f.name) {
			f.read(t.at(f.name))
		}
	}
	p.m.Workflow.Tasks = append(p.m.Workflow.Tasks, out)
}
