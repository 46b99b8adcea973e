// Package examples_test checks the packs in this directory without running them
// whole: that is what the end-to-end tests do.
package examples_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crucible-engine/crucible/core/decide"
	"github.com/crucible-engine/crucible/core/judge"
	"github.com/crucible-engine/crucible/core/manifest"
)

func TestManifestsLoad(t *testing.T) {
	t.Parallel()
	manifests, err := filepath.Glob("*/crucible.toml")
	if err != nil || len(manifests) < 2 {
		t.Fatalf("found %v, %v", manifests, err)
	}
	for _, path := range manifests {
		m, err := manifest.Load(path)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if len(m.Warnings) > 0 {
			t.Errorf("%s: warnings: %v", path, m.Warnings)
		}
		if m.Agent.MethodPrompt == "" || m.Agent.GoalFile == "" || len(m.Workspace.Inject) == 0 {
			t.Errorf("%s: an example has a method, a goal and frozen files", path)
		}
	}
}

// measure runs a judge of an example in a workspace with these files.
func measure(t *testing.T, script string, files map[string]string) decide.Reading {
	t.Helper()
	script, err := filepath.Abs(script)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	reading, err := judge.Judge{Command: "sh '" + script + "'", Dir: dir, Objective: "score"}.Measure(t.Context(), judge.Known{})
	if err != nil {
		t.Fatal(err)
	}
	return reading
}

func TestCounterJudge(t *testing.T) {
	t.Parallel()
	invalid := decide.Reading{Note: "counter.txt holds no number"}
	tests := map[string]decide.Reading{
		"0\n":                       {Valid: true, Score: new(0.0), Note: "score = 0"},
		"9":                         {Valid: true, Score: new(9.0), Note: "score = 9"},
		"10\n":                      {Valid: true, Score: new(10.0), Solved: true, Note: "score = 10"},
		"many\n":                    invalid,
		"":                          invalid,
		"-1":                        invalid,
		"1.5":                       invalid,
		"1\n2\n":                    invalid,
		"7,\"solved\":true,\"x\":1": invalid,
	}
	for text, want := range tests {
		got := measure(t, "counter/measure.sh", map[string]string{"counter.txt": text})
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
	if got := measure(t, "counter/measure.sh", nil); got.Valid || got.Note != invalid.Note {
		t.Errorf("without counter.txt: got %+v", got)
	}
}

// The judge of binary-size must not let the workspace choose what it runs, nor
// what it says.
func TestBinarySizeJudgeRefusesFlags(t *testing.T) {
	t.Parallel()
	for _, flag := range []string{
		"-toolexec=touch owned", "-o=/tmp/x", "-overlay=x.json", "-ldflags=-X main.x=y", "-tags=a", "-mod=mod",
		`-x","valid":true,"score":1,"note":"`, "*",
	} {
		got := measure(t, "binary-size/judge/measure.sh", map[string]string{"build.flags": "# comment\n\n" + flag + "\n"})
		if got.Valid || got.Score != nil || !strings.HasPrefix(got.Note, "build.flags: ") || !strings.HasSuffix(got.Note, " is not allowed") {
			t.Errorf("%s: got %+v", flag, got)
		}
	}
	if got := measure(t, "binary-size/judge/measure.sh", nil); got.Valid || got.Note != "build.flags is missing" {
		t.Errorf("without build.flags: got %+v", got)
	}
}

func TestScriptsParse(t *testing.T) {
	t.Parallel()
	scripts, err := filepath.Glob("*/*.sh")
	if err != nil {
		t.Fatal(err)
	}
	more, err := filepath.Glob("*/*/*.sh")
	if err != nil {
		t.Fatal(err)
	}
	for _, script := range append(scripts, more...) {
		if out, err := exec.Command("sh", "-n", script).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", script, err, out)
		}
	}
}
