package manifest_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/crucible-engine/crucible/core/manifest"
)

// packFiles are the files of the pack that the cases in testdata stand in.
func packFiles() map[string]string {
	return map[string]string{
		"GOAL.md":            "make it smaller\n",
		"method.md":          "{{GOAL}}",
		"measure.sh":         "#!/bin/sh\n",
		"checks/a.sh":        "a",
		"checks/b.txt":       "b",
		"checks/.hidden":     "h",
		"checks/deep/c.sh":   "c",
		"checks/.dot/d.sh":   "d",
		"{x}.txt":            "x",
		".git/config":        "g",
		"checks/.git/config": "g",
		"workspace/w.sh":     "w",
		"state/s.sh":         "s",
		"large":              strings.Repeat("x", 1<<20+1),
	}
}

// newPack makes the pack in a directory and returns it.
func newPack(t testing.TB) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	check(t, err)
	for name, content := range packFiles() {
		write(t, filepath.Join(dir, name), content)
	}
	check(t, os.Mkdir(filepath.Join(dir, "emptydir"), 0o755))
	check(t, syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o644))
	outside, err := filepath.EvalSymlinks(t.TempDir())
	check(t, err)
	write(t, filepath.Join(outside, "secret.txt"), "s")
	for name, target := range map[string]string{
		"out": filepath.Join(outside, "secret.txt"), "outdir": outside, "links/out": filepath.Join(outside, "secret.txt"),
		"dangling": "nowhere", "loop": "loop", "rootlink": "/", "wslink": "workspace", "inner/link.sh": "../measure.sh",
		"inner/dirlink": "../checks/deep", "inner/gone": "nowhere",
	} {
		check(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		check(t, os.Symlink(target, filepath.Join(dir, name)))
	}
	return dir
}

func write(t testing.TB, path, content string) {
	t.Helper()
	check(t, os.MkdirAll(filepath.Dir(path), 0o755))
	check(t, os.WriteFile(path, []byte(content), 0o644))
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// complete adds the sections that every manifest has to have.
func complete(text string) string {
	for _, s := range []struct{ name, text string }{
		{"repo", "[repo]\npath = \".\"\n"},
		{"agent", "[agent]\nbackend = \"command\"\nagent_cmd = \"true\"\n"},
		{"judge", "[judge]\nmeasure_cmd = \"./measure.sh\"\ndirection = \"lower\"\n"},
	} {
		if !strings.Contains(text, "["+s.name) && !strings.Contains(text, s.name+" =") && !strings.Contains(text, s.name+".") {
			text += s.text
		}
	}
	return text
}

// TestFaults runs the cases of testdata/*.txtar. CRUCIBLE_UPDATE=1 rewrites them.
func TestFaults(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.txtar")
	check(t, err)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(file)
			check(t, err)
			dir := newPack(t)
			path := filepath.Join(dir, "crucible.toml")
			updated := &txtar.Archive{Comment: archive.Comment}
			for i, f := range archive.Files {
				name, isCase := strings.CutSuffix(f.Name, ".toml")
				if !isCase {
					continue
				}
				text := complete(string(f.Data))
				if name == "empty" && strings.HasPrefix(string(f.Data), "only") {
					text = ""
				}
				m, list := manifest.Parse(path, []byte(text))
				if (m == nil) != list.HasErrors() {
					t.Errorf("%s: manifest %v with list %v", name, m, list)
				}
				got := strings.ReplaceAll(list.Error(), dir+"/", "") + "\n"
				updated.Files = append(updated.Files, f, txtar.File{Name: name + ".want", Data: []byte(got)})
				if want := wanted(archive.Files[i:], name); os.Getenv("CRUCIBLE_UPDATE") == "" && got != want {
					t.Errorf("%s:\n%s", name, cmp.Diff(want, got))
				}
			}
			if os.Getenv("CRUCIBLE_UPDATE") != "" {
				check(t, os.WriteFile(file, txtar.Format(updated), 0o644))
			}
		})
	}
}

func wanted(files []txtar.File, name string) string {
	for _, f := range files {
		if f.Name == name+".want" {
			return string(f.Data)
		}
	}
	return ""
}
