package e2e_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// fault runs the engine and wants status 3 and a text on stderr.
func fault(t *testing.T, cmd *exec.Cmd, texts ...string) {
	t.Helper()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 3 {
		t.Fatalf("%v, want exit status 3\n%s", err, stderr.String())
	}
	for _, text := range texts {
		if !strings.Contains(stderr.String(), text) {
			t.Errorf("stderr does not name %q:\n%s", text, stderr.String())
		}
	}
}

// asNobody runs a command as a user whom permissions concern. Whoever is not
// root is one already.
func asNobody(t *testing.T, cmd *exec.Cmd, owned ...string) {
	t.Helper()
	if os.Getuid() != 0 {
		return
	}
	const nobody = 65534
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	for _, path := range owned {
		if err := os.Lchown(path, nobody, nobody); err != nil {
			t.Fatal(err)
		}
	}
}

// open lets others pass through the directories that lead to the pack.
func (e *engine) open(t *testing.T) {
	t.Helper()
	for dir := e.dir; dir != "/" && dir != os.TempDir(); dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(filepath.Dir(binDir), 0o755); err != nil {
		t.Fatal(err)
	}
}

func TestUnreadableManifest(t *testing.T) {
	e := newEngine(t)
	e.open(t)
	path := filepath.Join(e.dir, "crucible.toml")
	if err := os.Chmod(path, 0); err != nil {
		t.Fatal(err)
	}
	cmd := e.command()
	asNobody(t, cmd, path)
	fault(t, cmd, path, "permission denied")
	if _, err := os.Stat(filepath.Join(e.dir, "state")); err == nil {
		t.Error("a state directory was made")
	}
}

func TestUnwritableStateDirectory(t *testing.T) {
	e := newEngine(t)
	e.open(t)
	for _, name := range []string{"crucible.toml", "measure.sh"} {
		if err := os.Chmod(filepath.Join(e.dir, name), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	state := filepath.Join(e.dir, "state")
	if err := os.Mkdir(state, 0o555); err != nil {
		t.Fatal(err)
	}
	cmd := e.command()
	asNobody(t, cmd, state)
	fault(t, cmd, state, "permission denied")
	if _, err := os.Stat(filepath.Join(e.dir, "workspace")); err == nil {
		t.Error("a workspace was made")
	}
}

// small mounts a tmpfs of a few kilobytes and returns its directory. Whoever is
// not root needs a user namespace of their own, which the tests do not make.
func small(t *testing.T, dir, size string) {
	t.Helper()
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); err != nil {
		if os.Getuid() != 0 {
			t.Skipf("mounting a small disk needs root: %v", err)
		}
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
}

// TestFullStateDisk fills the disk of the state directory before the run, and
// wants one error that names the file; after that the pack is as it was.
func TestFullStateDisk(t *testing.T) {
	e := newEngine(t)
	state := filepath.Join(e.dir, "state")
	small(t, state, "256k")
	fill := filepath.Join(state, "fill")
	if err := os.WriteFile(fill, make([]byte, 1<<20), 0o600); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("filling the disk: %v", err)
	}
	fault(t, e.command("--iterations", "1"), state, "no space left on device")
	if found := e.left(); len(found) > 0 {
		t.Errorf("still there: %s", strings.Join(found, ", "))
	}
	if err := os.Remove(fill); err != nil {
		t.Fatal(err)
	}
	if out, err := e.command("--iterations", "1", "--ui", "headless").CombinedOutput(); err != nil {
		t.Errorf("the run after it: %v\n%s", err, out)
	}
}

// TestDiskFillsUpDuringTheRun lets the agent print more than the log's disk
// holds. What is not on record did not happen: the run ends, with the best state
// in the workspace and every line of the log whole.
func TestDiskFillsUpDuringTheRun(t *testing.T) {
	e := newEngine(t)
	e.write(t, "crucible.toml", strings.Replace(slowPack, `agent_cmd = "`, `agent_cmd = "head -c 3000000 /dev/zero | tr '\\0' x | fold -w 1000; `, 1))
	state := filepath.Join(e.dir, "state")
	small(t, state, "2m")
	fault(t, e.command("--iterations", "1", "--ui", "headless"), filepath.Join(state, "session.jsonl"), "no space left on device")
	e.checkLog(t, filepath.Join(state, "session.jsonl"))
	value, err := os.ReadFile(filepath.Join(e.dir, "workspace", "value"))
	if err != nil || string(value) != "1000\n" {
		t.Errorf("the workspace holds %q, %v", value, err)
	}
	if found := e.left(); len(found) > 0 {
		t.Errorf("still there: %s", strings.Join(found, ", "))
	}
}
