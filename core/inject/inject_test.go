package inject_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/crucible-engine/crucible/core/identity"
	"github.com/crucible-engine/crucible/core/inject"
	"github.com/crucible-engine/crucible/core/manifest"
)

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func write(t testing.TB, path, content string, mode fs.FileMode) {
	t.Helper()
	check(t, os.MkdirAll(filepath.Dir(path), 0o755))
	check(t, os.WriteFile(path, []byte(content), 0o600))
	check(t, os.Chmod(path, mode))
}

// wantFile checks that path is a regular file of its own with the content and mode.
func wantFile(t testing.TB, path, content string, mode fs.FileMode) {
	t.Helper()
	info, err := os.Lstat(path)
	if err != nil {
		t.Error(err)
		return
	}
	if info.Mode() != mode {
		t.Errorf("%s has mode %v, want %v", path, info.Mode(), mode)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != content {
		t.Errorf("%s holds %.40q, want %.40q (%v)", path, got, content, err)
	}
}

// pack makes a pack of one frozen file in a directory and one other file.
func pack(t testing.TB) (sources string, set *inject.Set) {
	t.Helper()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "m.sh"), "frozen", 0o751)
	write(t, filepath.Join(dir, "d.txt"), "data", 0o640)
	set, err := inject.Read([]manifest.Inject{
		{Src: filepath.Join(dir, "m.sh"), Dst: "checks/measure.sh", Frozen: true},
		{Src: filepath.Join(dir, "d.txt"), Dst: "data.txt"},
	})
	check(t, err)
	return dir, set
}

func TestApplyKeepsContentAndMode(t *testing.T) {
	// Not parallel: the umask is the process's.
	old := syscall.Umask(0o077)
	defer syscall.Umask(old)
	_, set := pack(t)
	ws := t.TempDir()
	for range 2 {
		check(t, set.Apply(t.Context(), ws))
		wantFile(t, filepath.Join(ws, "checks/measure.sh"), "frozen", 0o751)
		wantFile(t, filepath.Join(ws, "data.txt"), "data", 0o640)
	}
	if info, err := os.Stat(filepath.Join(ws, "checks")); err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("directory %v, %v", info.Mode(), err)
	}
}

func TestApplyFrozenLeavesOthersAlone(t *testing.T) {
	t.Parallel()
	_, set := pack(t)
	ws := t.TempDir()
	check(t, set.Apply(t.Context(), ws))
	write(t, filepath.Join(ws, "checks/measure.sh"), "cheated", 0o777)
	write(t, filepath.Join(ws, "checks/other"), "o", 0o644)
	write(t, filepath.Join(ws, "data.txt"), "changed", 0o600)
	check(t, set.ApplyFrozen(t.Context(), ws))
	wantFile(t, filepath.Join(ws, "checks/measure.sh"), "frozen", 0o751)
	wantFile(t, filepath.Join(ws, "checks/other"), "o", 0o644)
	wantFile(t, filepath.Join(ws, "data.txt"), "changed", 0o600)
}

func TestSameFileIsLeftAlone(t *testing.T) {
	t.Parallel()
	_, set := pack(t)
	ws := t.TempDir()
	check(t, set.Apply(t.Context(), ws))
	path := filepath.Join(ws, "checks/measure.sh")
	before, err := os.Stat(path)
	check(t, err)
	check(t, set.ApplyFrozen(t.Context(), ws))
	after, err := os.Stat(path)
	check(t, err)
	if !os.SameFile(before, after) || before.ModTime() != after.ModTime() {
		t.Error("an equal file was written again")
	}
	// A mode that differs, or a second name, makes it another file.
	check(t, os.Chmod(path, 0o755))
	check(t, set.ApplyFrozen(t.Context(), ws))
	wantFile(t, path, "frozen", 0o751)
	check(t, os.Link(path, filepath.Join(ws, "alias")))
	check(t, set.ApplyFrozen(t.Context(), ws))
	if info, err := os.Stat(path); err != nil || info.Sys().(*syscall.Stat_t).Nlink != 1 {
		t.Errorf("the agent keeps a second name for the file: %v", err)
	}
}

func TestSetOutlivesItsSources(t *testing.T) {
	t.Parallel()
	dir, set := pack(t)
	check(t, os.RemoveAll(dir))
	ws := t.TempDir()
	check(t, set.Apply(t.Context(), ws))
	wantFile(t, filepath.Join(ws, "checks/measure.sh"), "frozen", 0o751)
}

func TestReadRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	check(t, syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o644))
	check(t, os.Mkdir(filepath.Join(dir, "dir"), 0o755))
	check(t, os.Symlink("loop", filepath.Join(dir, "loop")))
	write(t, filepath.Join(dir, "huge"), "", 0o644)
	check(t, os.Truncate(filepath.Join(dir, "huge"), manifest.MaxInjectBytes+1))
	for _, tc := range []struct{ src, want string }{
		{"nope", "no such file"}, {"fifo", "is not a regular file"}, {"dir", "is a directory"}, {"loop", "too many levels"},
		{"huge", "more bytes than the limit"},
	} {
		_, err := inject.Read([]manifest.Inject{{Src: filepath.Join(dir, tc.src), Dst: "x/y"}})
		if err == nil || !strings.Contains(err.Error(), tc.want) || !strings.Contains(err.Error(), "inject x/y: read "+filepath.Join(dir, tc.src)) {
			t.Errorf("%s: %v", tc.src, err)
		}
	}
	if set, err := inject.Read(nil); err != nil || set.Apply(t.Context(), t.TempDir()) != nil || len(set.Parts()) != 0 {
		t.Errorf("no injects: %v", err)
	}
}

func TestApplyRefusesOtherDestinations(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "s"), "x", 0o644)
	for _, dst := range []string{"", "/etc/x", "../x", "a/../../x", "a//b", "./a", ".git/config", "a/.GIT/x", "a\x00b", "a/"} {
		set, err := inject.Read([]manifest.Inject{{Src: filepath.Join(dir, "s"), Dst: dst, Frozen: true}})
		check(t, err)
		ws := t.TempDir()
		if err := set.Apply(t.Context(), ws); err == nil {
			t.Errorf("%q is placed", dst)
		}
		if entries, err := os.ReadDir(ws); err != nil || len(entries) != 0 {
			t.Errorf("%q leaves %v, %v", dst, entries, err)
		}
	}
}

func TestApplyNeedsARealWorkspace(t *testing.T) {
	t.Parallel()
	_, set := pack(t)
	dir := t.TempDir()
	write(t, filepath.Join(dir, "file"), "", 0o644)
	check(t, os.Symlink(t.TempDir(), filepath.Join(dir, "link")))
	for _, name := range []string{"nope", "file", "link"} {
		err := set.Apply(t.Context(), filepath.Join(dir, name))
		if err == nil || !strings.Contains(err.Error(), "open workspace "+filepath.Join(dir, name)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestApplyStopsWithItsContext(t *testing.T) {
	t.Parallel()
	_, set := pack(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	ws := t.TempDir()
	if err := set.Apply(ctx, ws); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if entries, _ := os.ReadDir(ws); len(entries) != 0 {
		t.Errorf("left %v", entries)
	}
}

func TestLargeSource(t *testing.T) {
	t.Parallel()
	dir, ws := t.TempDir(), t.TempDir()
	src, dst := filepath.Join(dir, "big"), filepath.Join(ws, "big")
	content := strings.Repeat("0123456789abcdef", 3<<16)
	write(t, src, content, 0o644)
	set, err := inject.Read([]manifest.Inject{{Src: src, Dst: "big", Frozen: true}})
	check(t, err)
	check(t, set.Apply(t.Context(), ws))
	wantFile(t, dst, content, 0o644)
	write(t, dst, strings.ToUpper(content), 0o644)
	check(t, set.ApplyFrozen(t.Context(), ws))
	wantFile(t, dst, content, 0o644)

	for name, change := range map[string]func(){
		"content": func() { write(t, src, strings.ToUpper(content), 0o644) },
		"length":  func() { write(t, src, content+"x", 0o644) },
		"gone":    func() { check(t, os.Remove(src)) },
	} {
		change()
		check(t, set.ApplyFrozen(t.Context(), ws)) // The right file is there: the source is not needed.
		write(t, dst, "cheated", 0o600)
		if err := set.ApplyFrozen(t.Context(), ws); !errors.Is(err, inject.ErrSourceChanged) || !strings.Contains(err.Error(), "inject big") {
			t.Errorf("%s: %v", name, err)
		}
		wantFile(t, dst, "cheated", 0o600) // Nothing is removed for a source that cannot replace it.
		write(t, src, content, 0o644)
		check(t, set.ApplyFrozen(t.Context(), ws))
		wantFile(t, dst, content, 0o644)
	}
}

// TestMemoryIsBounded: beyond 64 MiB even small sources are read again.
func TestMemoryIsBounded(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var entries []manifest.Inject
	for i := range 66 {
		src := filepath.Join(dir, string(rune('0'+i)))
		check(t, os.WriteFile(src, nil, 0o644))
		check(t, os.Truncate(src, 1<<20))
		entries = append(entries, manifest.Inject{Src: src, Dst: filepath.Base(src)})
	}
	set, err := inject.Read(entries)
	check(t, err)
	check(t, os.RemoveAll(dir))
	if err := set.Apply(t.Context(), t.TempDir()); !errors.Is(err, inject.ErrSourceChanged) || !strings.Contains(err.Error(), "inject "+entries[64].Dst) {
		t.Errorf("%v", err)
	}
}

// TestSourceAtItsDestination is a pack that lies in its own workspace.
func TestSourceAtItsDestination(t *testing.T) {
	t.Parallel()
	ws := t.TempDir()
	big := strings.Repeat("x", 2<<20)
	write(t, filepath.Join(ws, "m.sh"), "m", 0o755)
	write(t, filepath.Join(ws, "big"), big, 0o644)
	set, err := inject.Read([]manifest.Inject{
		{Src: filepath.Join(ws, "m.sh"), Dst: "m.sh", Frozen: true}, {Src: filepath.Join(ws, "big"), Dst: "big", Frozen: true},
	})
	check(t, err)
	check(t, set.Apply(t.Context(), ws))
	wantFile(t, filepath.Join(ws, "big"), big, 0o644)
	write(t, filepath.Join(ws, "m.sh"), "cheated", 0o755)
	check(t, os.Chmod(filepath.Join(ws, "big"), 0o600)) // Removed and written again from what is still open.
	check(t, set.ApplyFrozen(t.Context(), ws))
	wantFile(t, filepath.Join(ws, "m.sh"), "m", 0o755)
	wantFile(t, filepath.Join(ws, "big"), big, 0o644)
}

// TestPartsDoNotDependOnThePlace: the same pack has the same identity wherever
// it lies, and any change of a part shows.
func TestPartsDoNotDependOnThePlace(t *testing.T) {
	t.Parallel()
	_, a := pack(t)
	dir, b := pack(t)
	if diff := cmp.Diff(a.Parts(), b.Parts()); diff != "" {
		t.Error(diff)
	}
	digest := func(parts []identity.Inject) string { return identity.Compute(identity.Input{Injects: parts}).Digest }
	if digest(a.Parts()) != digest(b.Parts()) {
		t.Error("moving the pack changes the identity")
	}
	write(t, filepath.Join(dir, "m.sh"), "frozeN", 0o751)
	c, err := inject.Read([]manifest.Inject{
		{Src: filepath.Join(dir, "m.sh"), Dst: "checks/measure.sh", Frozen: true}, {Src: filepath.Join(dir, "d.txt"), Dst: "data.txt"},
	})
	check(t, err)
	if digest(a.Parts()) == digest(c.Parts()) {
		t.Error("another content has the same identity")
	}
}

// TestReadManifest: what an agent can write comes from the base commit.
func TestReadManifest(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	check(t, err)
	text := "[repo]\npath = \".\"\n[agent]\nbackend = \"command\"\nagent_cmd = \"true\"\n" +
		"[judge]\nmeasure_cmd = \"m\"\ndirection = \"lower\"\n[workspace]\ndir = \".\"\ninject = [\"*.sh\", \"big\"]\n"
	big := bytes.Repeat([]byte("y"), 2<<20)
	write(t, filepath.Join(dir, "crucible.toml"), text, 0o644)
	write(t, filepath.Join(dir, "m.sh"), "frozen", 0o755)
	write(t, filepath.Join(dir, "big"), string(big), 0o644)
	first, err := manifest.Load(filepath.Join(dir, "crucible.toml"))
	check(t, err)
	set, err := inject.ReadManifest(t.Context(), first)
	check(t, err)
	record := manifest.NewRecord(first, strings.Repeat("a", 40), "t", time.Unix(1, 0))

	write(t, filepath.Join(dir, "m.sh"), "cheated", 0o600)
	write(t, filepath.Join(dir, "big"), "cheated", 0o600)
	write(t, filepath.Join(dir, "evil.sh"), "e", 0o755)
	base := map[string][]byte{"crucible.toml": []byte(text), "m.sh": []byte("frozen"), "big": big}
	second, err := manifest.Frozen(t.Context(), first.Path, record, func(_ context.Context, path string) ([]byte, error) {
		data, ok := base[path]
		if !ok {
			return nil, fs.ErrNotExist
		}
		return data, nil
	})
	check(t, err)
	again, err := inject.ReadManifest(t.Context(), second)
	check(t, err)
	if diff := cmp.Diff(set.Parts(), again.Parts()); diff != "" {
		t.Error(diff)
	}
	check(t, again.ApplyFrozen(t.Context(), dir))
	wantFile(t, filepath.Join(dir, "m.sh"), "frozen", 0o755)
	wantFile(t, filepath.Join(dir, "big"), string(big), 0o644)

	delete(base, "m.sh")
	if _, err := inject.ReadManifest(t.Context(), second); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a source that the base does not hold: %v", err)
	}
}
