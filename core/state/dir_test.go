package state_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/crucible-engine/crucible/core/state"
)

// open opens a directory that the test closes.
func open(t *testing.T, dir string) *state.Dir {
	t.Helper()
	d, err := state.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
			t.Error(err)
		}
	})
	return d
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// tree lists all files below dir with their modes.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		out[rel] = info.Mode().String()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestOpenCreates(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "a", "state")
	d := open(t, dir)
	if d.Path() != dir || d.File("x") != filepath.Join(dir, "x") {
		t.Errorf("got %s, %s", d.Path(), d.File("x"))
	}
	if _, err := d.Begin("r1"); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Scratch("world-git"); err != nil {
		t.Fatal(err)
	}
	if err := d.Write("freeze.json", []byte("{}\n")); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"lock": "-rw-------", "run.json": "-rw-------", "session.jsonl": "-rw-------", "freeze.json": "-rw-------",
		"scratch": "drwx------", "scratch/world-git": "drwx------",
	}
	if diff := cmp.Diff(want, tree(t, dir)); diff != "" {
		t.Error(diff)
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Error(info.Mode(), err)
	}
}

func TestSecondEngineIsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	d := open(t, dir)
	_, err := state.Open(dir)
	locked, ok := errors.AsType[*state.LockedError](err)
	if !ok {
		t.Fatalf("got %v", err)
	}
	if locked.PID != os.Getpid() || locked.Dir != dir || time.Since(locked.Since) > time.Minute {
		t.Errorf("got %+v", locked)
	}
	for _, part := range []string{dir, "pid", "started", "--state-dir"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q is not in %q", part, err)
		}
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if text := read(t, filepath.Join(dir, "lock")); text != "" {
		t.Errorf("the lock still says %q", text)
	}
	open(t, dir)
}

func TestLockWithoutItsText(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	open(t, dir)
	write(t, filepath.Join(dir, "lock"), "garbage")
	_, err := state.Open(dir)
	if locked, ok := errors.AsType[*state.LockedError](err); !ok || locked.PID != 0 {
		t.Fatalf("got %v", err)
	}
}

// TestStaleLockText: only the lock counts, not what a dead engine wrote.
func TestStaleLockText(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "lock"), `{"pid":1,"started_at":"2026-01-01T00:00:00Z"}`+strings.Repeat(" ", 500))
	open(t, dir)
	if text := read(t, filepath.Join(dir, "lock")); !strings.HasSuffix(text, "}\n") || len(text) > 100 {
		t.Errorf("got %q", text)
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	write(t, filepath.Join(base, "file"), "")
	write(t, filepath.Join(base, "linked", "target"), "precious")
	for path, err := range map[string]error{
		"link":  os.Symlink("target", filepath.Join(base, "linked", "lock")),
		"dir":   os.MkdirAll(filepath.Join(base, "odd", "lock"), 0o755),
		"empty": os.Symlink("nowhere", filepath.Join(base, "dangling")),
	} {
		if err != nil {
			t.Fatal(path, err)
		}
	}
	tests := map[string][2]string{
		"a file":             {"file", "not a directory"},
		"below a file":       {"file/state", "not a directory"},
		"the lock is a link": {"linked", "symbolic link"},
		"the lock is a dir":  {"odd", "directory"},
		"a dangling link":    {"dangling", "exist"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(base, tt[0])
			_, err := state.Open(path)
			if err == nil || !strings.Contains(err.Error(), tt[1]) || !strings.Contains(err.Error(), path) {
				t.Errorf("got %v", err)
			}
		})
	}
	if text := read(t, filepath.Join(base, "linked", "target")); text != "precious" {
		t.Errorf("written through a link: %q", text)
	}
}

// TestNoPermission runs on a thread that has lost root's right to write
// everywhere; the thread is thrown away with the goroutine.
func TestNoPermission(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	closed := filepath.Join(base, "closed")
	if err := os.Mkdir(closed, 0o555); err != nil {
		t.Fatal(err)
	}
	for p := base; p != os.TempDir() && len(p) > 1; p = filepath.Dir(p) {
		if err := os.Chmod(p, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	got := make(chan [2]error)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends here
		if os.Geteuid() == 0 {
			if err := syscall.Setfsuid(65534); err != nil {
				t.Error(err)
			}
		}
		_, inside := state.Open(closed)
		_, below := state.Open(filepath.Join(closed, "state"))
		got <- [2]error{inside, below}
	}()
	for i, err := range <-got {
		if !errors.Is(err, os.ErrPermission) || !strings.Contains(err.Error(), closed) {
			t.Errorf("%d: got %v", i, err)
		}
	}
}

func TestWriteReplacesAtomically(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "precious"), "old")
	if err := os.Symlink("precious", filepath.Join(dir, "freeze.json")); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, ".freeze.json123"), "left by a dead engine")
	write(t, filepath.Join(dir, ".mine.json"), "a person's")
	d := open(t, dir)
	if err := d.Write("freeze.json", []byte("new")); err != nil {
		t.Fatal(err)
	}
	if got := read(t, filepath.Join(dir, "precious")) + read(t, filepath.Join(dir, "freeze.json")); got != "oldnew" {
		t.Errorf("got %s", got)
	}
	for _, name := range []string{"lock", "precious", "freeze.json", ".mine.json"} {
		if _, err := os.Lstat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	if n := len(tree(t, dir)); n != 4 {
		t.Errorf("%d files: %v", n, tree(t, dir))
	}
	for _, name := range []string{"", ".", "..", "a/b", "../x", "a\x00b", strings.Repeat("x", 300)} {
		if err := d.Write(name, nil); err == nil {
			t.Errorf("%q was written", name)
		}
		if _, err := d.Scratch(name); err == nil {
			t.Errorf("%q is a scratch directory", name)
		}
	}
}

func TestScratchIsNotALink(t *testing.T) {
	t.Parallel()
	dir, elsewhere := t.TempDir(), t.TempDir()
	d := open(t, dir)
	if err := os.MkdirAll(filepath.Join(dir, "scratch"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(elsewhere, filepath.Join(dir, "scratch", "out")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../history", filepath.Join(dir, "scratch", "in")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"out", "in"} {
		if path, err := d.Scratch(name); err == nil {
			t.Errorf("%s: got %s", name, path)
		}
	}
	path, err := d.Scratch("w")
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(path, "kept"), "x")
	if again, err := d.Scratch("w"); err != nil || again != path || read(t, filepath.Join(path, "kept")) != "x" {
		t.Error(again, err)
	}
}
