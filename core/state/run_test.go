package state_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/crucible-engine/crucible/core/state"
)

func TestRunID(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 8, 23, 14, 5, 6, 0, time.FixedZone("CEST", 7200))
	tests := map[string]string{
		"Shrink the binary":                     "shrink-the-binary",
		"\n\n  # Shrink, *the* binary!\nsecond": "shrink-the-binary",
		"":                                      "run",
		" \n#\n":                                "run",
		"縮小":                                    "run",
		"Größe 2 senken":                        "gr-e-2-senken",
		"--a--b--":                              "a-b",
		"../../etc/passwd":                      "etc-passwd",
		strings.Repeat("x", 50):                 strings.Repeat("x", 40),
		strings.Repeat("x", 39) + " yz":         strings.Repeat("x", 39),
		strings.Repeat("x", 38) + " yz":         strings.Repeat("x", 38) + "-y",
		strings.Repeat("word ", 20):             "word-word-word-word-word-word-word-word",
		"a\x1b[31mb":                            "a-31mb",
		strings.Repeat("\n", 1000) + "late title": "late-title",
	}
	for goal, want := range tests {
		if got := state.RunID(goal, now); got != "20260823T120506Z-"+want {
			t.Errorf("%q: got %s, want %s", goal, got, want)
		}
	}
}

// begin opens, begins, appends and closes, as one run of the engine does.
func begin(t *testing.T, dir, id string, lines ...string) string {
	t.Helper()
	d, err := state.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	got, err := d.Begin(id)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines {
		if err := d.Log().Append([]byte(line)); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	return got
}

func TestEarlierRunsAreKept(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	begin(t, dir, "r1", `{"n":1}`)
	for _, name := range []string{"admissions.jsonl", "outputs.jsonl", "agent-sessions.json", "agent-session-private/x/transcript.jsonl", "otel.jsonl"} {
		write(t, filepath.Join(dir, name), name+"\n")
	}
	for _, name := range []string{"freeze.json", "scratch/w/f", "notes.txt", "control.json"} {
		write(t, filepath.Join(dir, name), name)
	}
	begin(t, dir, "r2", `{"n":2}`)
	begin(t, dir, "r3", `{"n":3}`)
	want := map[string]string{
		"session.jsonl": "{\"n\":3}\n", "history/r1/session.jsonl": "{\"n\":1}\n", "history/r2/session.jsonl": "{\"n\":2}\n",
		"history/r1/admissions.jsonl": "admissions.jsonl\n", "history/r1/outputs.jsonl": "outputs.jsonl\n",
		"history/r1/agent-sessions.json":                      "agent-sessions.json\n",
		"history/r1/agent-session-private/x/transcript.jsonl": "agent-session-private/x/transcript.jsonl\n",
		"history/r1/otel.jsonl":                               "otel.jsonl\n",
		"freeze.json":                                         "freeze.json", "scratch/w/f": "scratch/w/f", "notes.txt": "notes.txt", "lock": "",
	}
	got := map[string]string{}
	for name, mode := range tree(t, dir) {
		if mode[0] == '-' && filepath.Base(name) != "run.json" {
			got[name] = read(t, filepath.Join(dir, name))
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if text := read(t, filepath.Join(dir, "history/r1/run.json")); !strings.Contains(text, `"run_id":"r1"`) {
		t.Errorf("got %s", text)
	}
}

func TestEqualIDsGetNumbers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	got := []string{begin(t, dir, "r", "1"), begin(t, dir, "r", "2"), begin(t, dir, "r", "3")}
	if diff := cmp.Diff([]string{"r", "r-2", "r-3"}, got); diff != "" {
		t.Error(diff)
	}
	if text := read(t, filepath.Join(dir, "history/r-2/session.jsonl")); text != "2\n" {
		t.Errorf("got %q", text)
	}
}

func TestNewID(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, want := range []string{"20260102T030405Z-g", "20260102T030405Z-g-2", "20260102T030405Z-g-3"} {
		d := open(t, dir)
		id, err := d.NewID("g", now)
		if err != nil || id != want {
			t.Fatal(id, err)
		}
		if got, err := d.Begin(id); err != nil || got != id {
			t.Fatal(got, err)
		}
		if err := d.Log().Append([]byte("x")); err != nil {
			t.Fatal(err)
		}
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestBeginRefuses(t *testing.T) {
	t.Parallel()
	d := open(t, t.TempDir())
	for _, id := range []string{"", ".", "..", "../x", "a/b", "-x", "a b", "a\n", strings.Repeat("x", 121), "ä"} {
		if _, err := d.Begin(id); err == nil {
			t.Errorf("%q was taken", id)
		}
	}
	if d.Log() != nil {
		t.Error("a log is open")
	}
	if _, err := d.Begin("r"); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Begin("r2"); err == nil {
		t.Error("two runs at once")
	}
	if _, err := d.Continue(); err == nil {
		t.Error("two runs at once")
	}
}

// TestRunWithoutRecord: a log whose run.json is gone or unusable is kept all the
// same, under a name of its age.
func TestRunWithoutRecord(t *testing.T) {
	t.Parallel()
	for i, record := range []string{"", "garbage", `{"run_id":"../../x"}`, `{"run_id":7}`} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "session.jsonl"), "old\n")
		when := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
		if err := os.Chtimes(filepath.Join(dir, "session.jsonl"), when, when); err != nil {
			t.Fatal(err)
		}
		if record != "" {
			write(t, filepath.Join(dir, "run.json"), record)
		}
		begin(t, dir, "r", "new")
		if text := read(t, filepath.Join(dir, "history/20260102T030405Z-unnamed/session.jsonl")); text != "old\n" {
			t.Errorf("%d: got %q", i, text)
		}
	}
}

// TestCrashWhileMoving breaks off after every number of moved files, as a kill
// between two renames does, and begins again.
func TestCrashWhileMoving(t *testing.T) {
	t.Parallel()
	names := []string{"session.jsonl", "admissions.jsonl", "outputs.jsonl", "agent-sessions.json", "run.json"}
	for moved := range len(names) + 1 {
		t.Run(fmt.Sprint(moved), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			begin(t, dir, "r1", "old")
			for _, name := range names[1:4] {
				write(t, filepath.Join(dir, name), "old\n")
			}
			if err := os.MkdirAll(filepath.Join(dir, "history/r1"), 0o700); err != nil {
				t.Fatal(err)
			}
			for _, name := range names[:moved] {
				if err := os.Rename(filepath.Join(dir, name), filepath.Join(dir, "history/r1", name)); err != nil {
					t.Fatal(err)
				}
			}
			begin(t, dir, "r2", "new")
			for _, name := range names[:4] {
				if text := read(t, filepath.Join(dir, "history/r1", name)); text != "old\n" {
					t.Errorf("%s: %q", name, text)
				}
			}
			if text := read(t, filepath.Join(dir, "session.jsonl")); text != "new\n" {
				t.Errorf("got %q", text)
			}
			if entries, err := os.ReadDir(filepath.Join(dir, "history")); err != nil || len(entries) != 1 {
				t.Errorf("history holds %v, %v", entries, err)
			}
		})
	}
}

// TestHistoryIsNeverOverwritten: even a file of the same name stays.
func TestHistoryIsNeverOverwritten(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	begin(t, dir, "r1", "second")
	write(t, filepath.Join(dir, "history/r1/session.jsonl"), "first\n")
	begin(t, dir, "r2", "x")
	got := read(t, filepath.Join(dir, "history/r1/session.jsonl")) + read(t, filepath.Join(dir, "history/r1/session.jsonl.2"))
	if got != "first\nsecond\n" {
		t.Errorf("got %q", got)
	}
}

func TestContinue(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	d := open(t, dir)
	if _, err := d.Continue(); !errors.Is(err, state.ErrNoRun) {
		t.Errorf("got %v", err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	begin(t, dir, "r1", "1")
	write(t, filepath.Join(dir, "control.json"), `{"stop":true}`)
	d = open(t, dir)
	id, err := d.Continue()
	if err != nil || id != "r1" {
		t.Fatal(id, err)
	}
	if err := d.Log().Append([]byte("2")); err != nil {
		t.Fatal(err)
	}
	if text := read(t, filepath.Join(dir, "session.jsonl")); text != "1\n2\n" {
		t.Errorf("got %q", text)
	}
	if _, err := os.Lstat(filepath.Join(dir, "control.json")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the stale stop order is there: %v", err)
	}
}

// TestLinksAreNotFollowed: what an agent may have put in the place of the
// engine's files stops the run with a clear error and is not written to.
func TestLinksAreNotFollowed(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"session.jsonl", "run.json", "history"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			begin(t, dir, "r1", "old")
			write(t, filepath.Join(dir, "target"), "precious")
			path := filepath.Join(dir, name)
			if err := os.RemoveAll(path); err != nil {
				t.Fatal(err)
			}
			target := "target"
			if name == "history" {
				target = "."
			}
			if err := os.Symlink(target, path); err != nil {
				t.Fatal(err)
			}
			d := open(t, dir)
			_, err := d.Begin("r2")
			if name == "session.jsonl" {
				// The link itself is moved out of the way, like any file of the run.
				if err != nil {
					t.Fatal(err)
				}
				if err := d.Log().Append([]byte("new")); err != nil {
					t.Fatal(err)
				}
			} else if err == nil || !strings.Contains(err.Error(), "symbolic link") || !strings.Contains(err.Error(), path) {
				t.Errorf("got %v", err)
			}
			if text := read(t, filepath.Join(dir, "target")); text != "precious" {
				t.Errorf("written through a link: %q", text)
			}
		})
	}
}

// TestContinueThroughALink refuses a log that is not a file.
func TestContinueThroughALink(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	begin(t, dir, "r1", "old")
	path := filepath.Join(dir, "session.jsonl")
	if err := os.Rename(path, path+".real"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("session.jsonl.real", path); err != nil {
		t.Fatal(err)
	}
	if _, err := open(t, dir).Continue(); err == nil || !strings.Contains(err.Error(), "is a symbolic link") {
		t.Errorf("got %v", err)
	}
}
