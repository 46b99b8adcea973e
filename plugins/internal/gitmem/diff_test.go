package gitmem_test

import (
	"bytes"
	"crypto/rand"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crucible-engine/crucible/sdk/contract"
	"github.com/crucible-engine/crucible/sdk/world"
)

// A patch carries the whole change: applied to the state it begins from, it
// gives the present one.
func TestDiffApplies(t *testing.T) {
	t.Parallel()
	b, token, want := kept(t)
	other := t.TempDir()
	gitIn(t, b.root, "clone", "-q", b.dir, other)
	binary := make([]byte, 5000)
	_, _ = rand.Read(binary)
	b.write(map[string]string{"bin": string(binary), "a": "changed\n", "no newline": "x", "crlf": "x\r\n", "sp ace/ü\n": "y"})
	must(t, os.Rename(b.path("dir/b"), b.path("moved")))
	must(t, os.Chmod(b.path("dir/c"), 0o755))
	relink(t, "other", b.path("link"))
	must(t, os.Remove(b.path("run.sh")))
	put(t, b.path(".gitattributes"), "* -diff\n")
	patch, d := b.diff(token, 0)
	if d.Truncated || !strings.Contains(d.Shortstat, "files changed") {
		t.Errorf("%+v", d)
	}
	if !strings.Contains(patch, "+changed") {
		t.Error("an attribute of the agent's hides the change")
	}
	c := exec.Command("git", "apply", "--index")
	c.Dir, c.Stdin = other, strings.NewReader(patch)
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("git apply: %v\n%s", err, out)
	}
	if diff := cmp.Diff(files(t, b.dir), files(t, other)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	// The look changed nothing.
	if again, _ := b.diff(token, 0); again != patch {
		t.Error("the second look shows something else")
	}
	b.restore(token)
	b.check(want)
	if patch, d := b.diff(token, 0); patch != "" || d != (world.Diffed{}) {
		t.Errorf("no change: %q %+v", patch, d)
	}
}

func TestDiffLimit(t *testing.T) {
	t.Parallel()
	b, token, _ := kept(t)
	b.write(map[string]string{"a": strings.Repeat("line\n", 100_000), "zz": "x"})
	whole, d := b.diff(token, 0)
	for _, limit := range []int64{1, 100, 64 << 10, int64(len(whole)) - 1, int64(len(whole)), int64(len(whole)) + 1} {
		patch, cut := b.diff(token, limit)
		if want := whole[:min(int(limit), len(whole))]; patch != want {
			t.Errorf("limit %d: got %d bytes", limit, len(patch))
		}
		if cut.Truncated != (limit < int64(len(whole))) || cut.Shortstat != d.Shortstat {
			t.Errorf("limit %d: %+v", limit, cut)
		}
	}
	full := errors.New("full")
	_, err := b.store.Diff(t.Context(), b.id, token, 0, writerFunc(func([]byte) (int, error) { return 0, full }))
	if !errors.Is(err, full) && !strings.Contains(err.Error(), "full") {
		t.Errorf("a writer that fails: %v", err)
	}
	if again, _ := b.diff(token, 0); again != whole {
		t.Error("a failed look did harm")
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// A 100 MB file is recorded, compared and restored without being held in memory
// by this process.
func TestLargeFile(t *testing.T) {
	t.Parallel()
	b, token, _ := kept(t)
	name := b.path("large")
	f, err := os.Create(name)
	must(t, err)
	block := make([]byte, 1<<20)
	_, _ = rand.Read(block)
	for i := range 100 {
		block[0] = byte(i)
		_, err := f.Write(block)
		must(t, err)
	}
	must(t, f.Close())
	if patch, d := b.diff(token, 64<<10); !d.Truncated || len(patch) != 64<<10 {
		t.Errorf("%d bytes, %+v", len(patch), d)
	}
	two := b.snapshot("large")
	must(t, os.Truncate(name, 10))
	b.restore(two.Token)
	if info, err := os.Stat(name); err != nil || info.Size() != 100<<20 {
		t.Errorf("%v %v", info, err)
	}
	file, err := b.store.Read(t.Context(), b.id, two.Token, "large", writerFunc(func(p []byte) (int, error) { return len(p), nil }))
	if err != nil || file.Size != 100<<20 {
		t.Errorf("%+v %v", file, err)
	}
	b.agrees(two.Commit)
	b.restore(token)
	if _, err := os.Lstat(name); err == nil {
		t.Error("the file is left")
	}
}

func TestRead(t *testing.T) {
	t.Parallel()
	b, token, _ := kept(t)
	b.write(map[string]string{"with\nline": "n", ":(glob)*": "magic", "-x": "dash"})
	must(t, os.Symlink("dir", b.path("dirlink")))
	must(t, os.Symlink("/etc", b.path("etc")))
	now := b.snapshot("two").Token
	b.write(map[string]string{"a": "later\n"})
	for path, want := range map[string]string{
		"a": "better\n", "dir/b": "two\n", "run.sh": "#!/bin/sh\n", "with\nline": "n", ":(glob)*": "magic", "-x": "dash",
	} {
		var out bytes.Buffer
		file, err := b.store.Read(t.Context(), b.id, now, path, &out)
		mode := uint32(0o644)
		if path == "run.sh" {
			mode = 0o755
		}
		if err != nil || out.String() != want || file != (world.File{Mode: mode, Size: int64(len(want))}) {
			t.Errorf("%q: %q %+v %v", path, out.String(), file, err)
		}
	}
	for _, path := range []string{
		"", ".", "/", "/etc/passwd", "../x", "dir/../a", "./a", "dir", "dir/", "nowhere", "link", "dirlink/b", "etc/passwd",
		".git/config", "a/b", "a\x00b", "*", filepath.Join(b.dir, "a"), "--help", ":(top)a", ":a",
	} {
		if file, err := b.store.Read(t.Context(), b.id, now, path, &bytes.Buffer{}); !errors.Is(err, contract.ErrNotFound) {
			t.Errorf("%q: %+v %v", path, file, err)
		}
	}
	if _, err := b.store.Read(t.Context(), b.id, token, "-x", &bytes.Buffer{}); !errors.Is(err, contract.ErrNotFound) {
		t.Errorf("a file of a later state: %v", err)
	}
}
