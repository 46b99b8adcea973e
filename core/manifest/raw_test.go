package manifest_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crucible-engine/crucible/core/manifest"
)

const graph = `[workflow]
type = "custom"
result = "b"
[[workflow.task]]
name = "a"
kind = "evaluate"
command = "./a.sh"
threshold = -0.5
required = false
timeout = 1_000
hex = 0xff
depends_on = []
emits = { score = "number", label = ["x", "y"] }
[workflow.task.when]
task = "b"
is = ["yes"]
[[workflow.task]]
name = "b"
kind = "agent"
`

func tasks(t *testing.T) []manifest.Task {
	t.Helper()
	m, list := manifest.Parse(filepath.Join(newPack(t), "crucible.toml"), []byte(complete(graph)))
	if list.HasErrors() {
		t.Fatal(list)
	}
	return m.Workflow.Tasks
}

// A task is decoded elsewhere; all of it arrives there.
func TestTaskValues(t *testing.T) {
	t.Parallel()
	got := tasks(t)
	if got[0].Name != "a" || got[0].Kind != "evaluate" || got[1].Name != "b" || got[1].Kind != "agent" || len(got) != 2 {
		t.Errorf("got %v", got)
	}
	want := map[string]any{
		"name": "a", "kind": "evaluate", "command": "./a.sh", "threshold": -0.5, "required": false, "timeout": int64(1000), "hex": int64(255),
		"depends_on": []any{},
		"emits":      map[string]any{"score": "number", "label": []any{"x", "y"}},
		"when":       map[string]any{"task": "b", "is": []any{"yes"}},
	}
	if diff := cmp.Diff(want, got[0].Table.Any()); diff != "" {
		t.Error(diff)
	}
	keys := "name kind command threshold required timeout hex depends_on emits when"
	if got := strings.Join(got[0].Table.Keys(), " "); got != keys {
		t.Errorf("keys %s", got)
	}
}

// Faults that another package finds have the places of the file.
func TestTaskFaults(t *testing.T) {
	t.Parallel()
	table := tasks(t)[0].Table
	for _, tc := range []struct{ name, got, want string }{
		{"value", table.Get("threshold").Fault("h", "no %s", "x").String(), "8:13: workflow.task[0].threshold: no x; h"},
		{"key", table.Get("threshold").KeyFault("", "x").String(), "8:1: workflow.task[0].threshold: x"},
		{"table", table.Fault("", "x").String(), "4:12: workflow.task[0]: x"},
		{"table below", table.Get("when").KeyFault("", "x").String(), "14:16: workflow.task[0].when: x"},
		{"element", table.Get("when").Get("is").Items()[0].Fault("", "x").String(), "16:7: workflow.task[0].when.is[0]: x"},
		{"inline", table.Get("emits").Get("label").Items()[1].Fault("", "x").String(), "13:43: workflow.task[0].emits.label[1]: x"},
	} {
		if _, got, _ := strings.Cut(tc.got, "crucible.toml:"); got != tc.want {
			t.Errorf("%s: got %q, want %q", tc.name, got, tc.want)
		}
	}
}

// What is not there can be asked for, and answers that it is not.
func TestAbsentValue(t *testing.T) {
	t.Parallel()
	table := tasks(t)[0].Table
	for name, v := range map[string]manifest.Value{
		"zero": {}, "missing key": table.Get("nope"), "key of a string": table.Get("name").Get("x"), "key of nothing": table.Get("nope").Get("x"),
	} {
		if v.Present() || v.Any() != nil || v.Keys() != nil || v.Items() != nil {
			t.Errorf("%s: present %v, %v %v %v", name, v.Present(), v.Any(), v.Keys(), v.Items())
		}
		if got := v.Fault("", "x %d", 1).Message; got != "x 1" {
			t.Errorf("%s: %q", name, got)
		}
		if got := v.KeyFault("", "x").Message; got != "x" {
			t.Errorf("%s: %q", name, got)
		}
	}
	if table.Get("name").Keys() != nil || table.Items() != nil || !table.Get("name").Present() {
		t.Error("a string has keys, or a table elements")
	}
}

func TestParams(t *testing.T) {
	t.Parallel()
	text := "[workflow]\nfile = \"GOAL.md\"\n[workflow.params]\nz = \"x\"\ni = -3\nf = 1.5\nb = true\nl = [\"a\", \"b\"]\n"
	m, list := manifest.Parse(filepath.Join(newPack(t), "crucible.toml"), []byte(complete(text)))
	if list.HasErrors() {
		t.Fatal(list)
	}
	var names []string
	got := map[string]any{}
	for _, p := range m.Workflow.Params {
		names = append(names, p.Name)
		got[p.Name] = p.Value.Any()
	}
	if strings.Join(names, "") != "zifbl" {
		t.Errorf("order %v", names)
	}
	want := map[string]any{"z": "x", "i": int64(-3), "f": 1.5, "b": true, "l": []any{"a", "b"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
