package marker_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/crucible-engine/crucible/core/marker"
)

func TestPutReplacesWhatIsInTheWay(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "precious")
	if err := os.WriteFile(outside, []byte("keep"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, plant := range map[string]func(dir, path string) error{
		"nothing":   func(string, string) error { return nil },
		"a file":    func(_, p string) error { return os.WriteFile(p, []byte("old"), 0o400) },
		"a link":    func(_, p string) error { return os.Symlink(outside, p) },
		"a tree":    func(_, p string) error { return os.MkdirAll(filepath.Join(p, "a/b"), 0o700) },
		"part link": func(dir, _ string) error { return os.Symlink(outside, filepath.Join(dir, ".crucible-part")) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, marker.ResultsFile)
			if err := plant(dir, path); err != nil {
				t.Fatal(err)
			}
			if marker.Holds(dir, marker.ResultsFile, []byte("new")) {
				t.Error("holds it before it was put")
			}
			if err := marker.Put(dir, marker.ResultsFile, []byte("new")); err != nil {
				t.Fatal(err)
			}
			if !marker.Holds(dir, marker.ResultsFile, []byte("new")) {
				t.Error("does not hold what was put")
			}
			if got, err := os.ReadFile(outside); err != nil || string(got) != "keep" {
				t.Errorf("a file outside was written: %q %v", got, err)
			}
			if left, _ := filepath.Glob(filepath.Join(dir, ".crucible*")); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

func TestPutWithoutWorkspace(t *testing.T) {
	if err := marker.Put(filepath.Join(t.TempDir(), "gone"), marker.ResultsFile, nil); err == nil {
		t.Error("no error")
	}
}

func TestWorkspaceThatIsNoneAnyMore(t *testing.T) {
	for name, plant := range map[string]func(path string) error{
		"a pipe": func(p string) error { return syscall.Mkfifo(p, 0o600) },
		"a file": func(p string) error { return os.WriteFile(p, nil, 0o600) },
		"a link": func(p string) error { return os.Symlink("/", p) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "workspace")
			if err := plant(dir); err != nil {
				t.Fatal(err)
			}
			if err := marker.Put(dir, marker.ResultsFile, nil); err == nil {
				t.Error("something was written")
			}
			if marker.Holds(dir, marker.ResultsFile, nil) {
				t.Error("it is said to hold a file")
			}
			if _, err := marker.TakeEscalation(dir); err == nil {
				t.Error("something was taken")
			}
		})
	}
}
