package gitmem_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crucible-engine/crucible/sdk/world"
)

// engines are files that no state holds and no restore touches.
var engines = map[string]string{
	"RESULTS.md": "r", "CANDIDATE.md": "c", "ESCALATION.json": "e", "PROVISIONING_PENDING.json": "p", "PLAN_TASK_RESULT.json": "t",
	".claude/settings.json": "s", "state/session.jsonl": "l", "we[i]rd *?": "w", "#hash": "h", "trailing ": "x",
}

var excludes = []string{"state", "we[i]rd *?", "#hash", "trailing "}

func TestEngineFiles(t *testing.T) {
	t.Parallel()
	tests := map[string]func(b *bench){
		"plainly":                 func(*bench) {},
		"a .gitignore takes them": func(b *bench) { put(b.t, b.path(".gitignore"), "!*\n!.claude/\n!/RESULTS.md\n!state/\n") },
		"one hides everything":    func(b *bench) { put(b.t, b.path(".gitignore"), "*\n") },
		"info/exclude emptied":    func(b *bench) { put(b.t, b.path(".git/info/exclude"), "") },
	}
	for name, agent := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := unopened(t)
			b.write(map[string]string{"a": "1"})
			b.open(world.OpenRequest{Exclude: excludes})
			b.write(engines)
			base := b.snapshot("base")
			agent(b)
			b.write(map[string]string{"a": "2", "RESULTS.md": "r2", ".claude/new": "n"})
			if patch, _ := b.diff(base.Token, 0); strings.Contains(patch, "r2") || strings.Contains(patch, "b/.claude") {
				t.Errorf("the change shows the engine's files:\n%s", patch)
			}
			two := b.snapshot("two")
			for name := range engines {
				if out := b.git("ls-tree", "-r", "--name-only", two.Commit, "--", ":(literal)"+name); out != "" {
					t.Errorf("recorded: %s", out)
				}
			}
			b.restore(base.Token)
			want := map[string]string{"a": "file 1", "RESULTS.md": "file r2", ".claude/new": "file n"}
			for name, text := range engines {
				if name != "RESULTS.md" {
					want[name] = "file " + text
				}
			}
			b.check(want)
			if got := b.git("status", "--porcelain"); got != "" {
				t.Errorf("git status shows them:\n%s", got)
			}
		})
	}
}

// An upstream repository may have files by these names. Its RESULTS.md is not
// recorded and not restored either; what it has in .claude is its own affair.
func TestEngineFilesOfTheRepository(t *testing.T) {
	t.Parallel()
	b := newBench(t, func(dir string) {
		gitIn(t, dir, "init", "-q")
		writeFiles(t, dir, map[string]string{"RESULTS.md": "upstream\n", ".claude/skill.md": "skill\n", "a": "1\n"})
		gitIn(t, dir, "add", "-A")
		gitIn(t, dir, "commit", "-qm", "one")
	})
	b.write(map[string]string{"RESULTS.md": "engine 1\n"})
	if base := b.snapshot("base"); base.Changed {
		t.Errorf("%+v", base)
	}
	b.write(map[string]string{"RESULTS.md": "engine 2\n", ".claude/skill.md": "better\n", ".claude/cache": "c", "a": "2\n"})
	two := b.snapshot("two")
	if got, want := b.git("show", "--name-only", "--format=", two.Commit), ".claude/skill.md\na"; got != want {
		t.Errorf("recorded %q, want %q", got, want)
	}
	b.write(map[string]string{"RESULTS.md": "engine 3\n", ".claude/skill.md": "worse\n", "a": "3\n"})
	b.restore(two.Token)
	b.check(map[string]string{"RESULTS.md": "file engine 3\n", ".claude/skill.md": "file better\n", ".claude/cache": "file c", "a": "file 2\n"})
}

// Files that the kept state's .gitignore matches survive a discard, also when
// the candidate changed or deleted .gitignore.
func TestIgnoredFilesSurvive(t *testing.T) {
	t.Parallel()
	for name, agent := range map[string]func(b *bench){
		"untouched": func(*bench) {},
		"deleted":   func(b *bench) { must(b.t, os.Remove(b.path(".gitignore"))) },
		"emptied":   func(b *bench) { put(b.t, b.path(".gitignore"), "") },
		"negated":   func(b *bench) { put(b.t, b.path(".gitignore"), "!*\n") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, func(dir string) { writeFiles(t, dir, map[string]string{".gitignore": "cache/\n*.log\n", "a": "1"}) })
			base := b.snapshot("base")
			b.write(map[string]string{"cache/x": "warm", "run.log": "l", "dir/y.log": "l", "dir/new": "n"})
			gitIn(t, b.path("cache"), "init", "-q")
			agent(b)
			b.diff(base.Token, 0)
			b.restore(base.Token)
			got := files(t, b.dir)
			for p := range got {
				if strings.HasPrefix(p, "cache/.git/") {
					delete(got, p)
				}
			}
			want := map[string]string{".gitignore": "file cache/\n*.log\n", "a": "file 1", "cache/x": "file warm", "run.log": "file l", "dir/y.log": "file l"}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if _, err := os.Stat(b.path("cache/.git/HEAD")); err != nil {
				t.Error("a repository in an ignored directory is gone")
			}
		})
	}
}

// A .gitignore that hides itself must not outlive a discard where it hides what
// is to be recorded. The cache of a tool, which does the same, stays.
func TestSelfIgnored(t *testing.T) {
	t.Parallel()
	b := newBench(t, func(dir string) {
		writeFiles(t, dir, map[string]string{"a": "1", "src/x": "x", "own/.gitignore": "*\n", "own/cache": "c"})
	})
	base := b.snapshot("base")
	b.write(map[string]string{
		".gitignore": "*\n", "hidden": "h", "src/.gitignore": "*\n", "src/hidden": "h", "venv/.gitignore": "*\n", "venv/bin/tool": "t",
	})
	b.restore(base.Token)
	want := map[string]string{
		"a": "file 1", "src/x": "file x", "own/.gitignore": "file *\n", "own/cache": "file c", "venv/.gitignore": "file *\n", "venv/bin/tool": "file t",
	}
	b.check(want)
	b.write(map[string]string{"new": "n"})
	if two := b.snapshot("two"); !two.Changed {
		t.Error("what came later is hidden")
	}
	b.restore(base.Token)
	b.check(want)
}

// What the operator configured stays, what an agent adds goes.
func TestFurniture(t *testing.T) {
	t.Parallel()
	b := newBench(t, func(dir string) {
		gitIn(t, dir, "init", "-q")
		gitIn(t, dir, "config", "remote.origin.url", "https://example.org/x")
		script(t, filepath.Join(dir, ".git/hooks/pre-push"), "true")
		put(t, filepath.Join(dir, ".git/info/exclude"), "operators.tmp\n")
		writeFiles(t, dir, map[string]string{"a": "1", "operators.tmp": "x"})
	})
	base := b.snapshot("base")
	script(t, b.path(".git/hooks/post-checkout"), "true")
	script(t, b.path(".git/hooks/pre-push"), "evil")
	b.git("config", "core.fsmonitor", "evil")
	b.restore(base.Token)
	entries, err := os.ReadDir(b.path(".git/hooks"))
	must(t, err)
	entries = slices.DeleteFunc(entries, func(e os.DirEntry) bool { return strings.HasSuffix(e.Name(), ".sample") })
	if len(entries) != 1 {
		t.Errorf("hooks: %v", entries)
	}
	hook, err := os.ReadFile(b.path(".git/hooks/pre-push"))
	must(t, err)
	if !strings.Contains(string(hook), "true") {
		t.Errorf("the operator's hook is %q", hook)
	}
	if got := b.git("config", "--get", "remote.origin.url"); got != "https://example.org/x" {
		t.Errorf("remote: %q", got)
	}
	if gitCommand(b.dir, "config", "--get", "core.fsmonitor").Run() == nil {
		t.Error("the agent's setting is left")
	}
	if _, err := os.Stat(b.path("operators.tmp")); err != nil || b.git("ls-files", "operators.tmp") != "" {
		t.Error("the operator's exclude file does not count")
	}
	// After an orderly end the operator has the word again.
	b.close()
	b.git("config", "remote.origin.url", "https://example.org/y")
	b.open(world.OpenRequest{})
	b.restore(base.Token)
	if got := b.git("config", "--get", "remote.origin.url"); got != "https://example.org/y" {
		t.Errorf("remote: %q", got)
	}
}
