package manifest

import (
	"slices"
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
	// Params are the bound parameters, in the order of the file.
	Params []Param
}

// Task is one task as far as the manifest's reader understands it.
type Task struct {
	Name, Kind string
	// Table holds all of its keys, for whoever compiles the graph.
	Table Value
}

// Param is one bound parameter: a string, a bool, a number or a list of strings.
type Param struct {
	Name  string
	Value Value
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
		table("params", p.params),
		tables("task", p.task),
	}, refused("history_record")...)...)
	if t.has("file") && blank(t, "file") {
		t.at("file").fault("leave it out", "the string is empty")
	}
	inline := len(t.at("task").node.items) > 0
	graph := inline || t.has("file")
	switch {
	case file != "" && inline:
		t.at("file").fault("keep one of them", "a workflow is a file or a list of tasks, not both")
	case !graph && w.Type != Autoresearch:
		t.at("type").fault(`write file = "workflow.star" or [[workflow.task]]`, "a workflow of the type %s has to say what its tasks are", w.Type)
	case !graph && w.Result != "":
		t.at("result").fault(`write file = "workflow.star" or [[workflow.task]]`, "there is no task that it could name")
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
	env := &p.m.Workflow.Env
	name := strings.TrimSuffix(s, "?")
	if !envName(name) {
		v.fault(`write NAME, or "NAME?" when it may be unset`, "%s is not a name that a variable can have", diag.Quote(s, shown))
		return
	}
	if slices.Contains(*env, name) || slices.Contains(*env, name+"?") {
		v.fault("keep one of them", "%s is named twice", name)
		return
	}
	*env = append(*env, s)
}

// params reads [workflow.params].
func (p *pack) params(t value) {
	if n := len(t.node.keys); n > maxList {
		t.fault("", "%d parameters are given, more than the limit of %d", n, maxList)
		return
	}
	for _, e := range t.node.keys {
		v := value{t.doc, join(t.path, e.name), e.value, e.at}
		if !paramName(e.name) {
			t.doc.fault(e.at, v.path, "use letters, digits and underscores, at most 64", "%s cannot name a parameter", diag.Quote(e.name, shown))
			continue
		}
		if raw(v) && paramValue(v) {
			p.m.Workflow.Params = append(p.m.Workflow.Params, Param{e.name, Value{v}})
		}
	}
}

// paramValue reports whether a value has one of the types of parameters.
func paramValue(v value) bool {
	if v.node.kind == kindTable {
		v.fault("", "want a string, a number, a boolean or an array of strings, have a table")
		return false
	}
	whole := true
	for i := range v.node.items { // of an array
		_, ok := v.item(i).text(maxString)
		whole = whole && ok
	}
	return whole
}

func paramName(s string) bool { return len(s) <= 64 && envName(s) }

// task reads what the disclosure has to know of a task. Other keys are checked
// by whoever compiles the graph.
func (p *pack) task(t value) {
	if !raw(t) {
		return
	}
	out := Task{Table: Value{t}}
	for _, f := range []field{word("name", &out.Name), word("kind", &out.Kind)} {
		if t.has(f.name) {
			f.read(t.at(f.name))
		}
	}
	p.m.Workflow.Tasks = append(p.m.Workflow.Tasks, out)
}
