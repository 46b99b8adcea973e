package e2e_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// slowPack has an agent and a judge that each have a child of their own, so
// that a kill at a random moment meets a process tree.
const slowPack = `
[workspace]
inject = ["measure.sh"]
setup_cmd = "git init -q workspace && echo 1000 > workspace/value"

[repo]
path = "."

[agent]
backend = "command"
goal = "make the value small"
agent_cmd = "v=$(cat value); sleep 0.05; (sleep 600 & sleep 0.02); echo $((v - 1)) > value"

[judge]
measure_cmd = "sh measure.sh"
direction = "lower"
`

const slowMeasure = `sleep 0.03
(sleep 600 &) # a child that would outlive the shell
echo "{\"valid\": true, \"score\": $(cat value)}"
`

// engine is a pack with an environment of its own.
type engine struct {
	dir, home, run string
}

func newEngine(t *testing.T) *engine {
	t.Helper()
	run, err := os.MkdirTemp(filepath.Dir(socketBase), "r")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(run) })
	e := &engine{dir: t.TempDir(), run: run}
	e.home = filepath.Join(e.dir, ".home")
	if err := os.Mkdir(e.home, 0o700); err != nil {
		t.Fatal(err)
	}
	e.write(t, "crucible.toml", slowPack)
	e.write(t, "measure.sh", slowMeasure)
	return e
}

func (e *engine) write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(e.dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (e *engine) command(args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(binDir, "crucible"), args...)
	cmd.Dir = e.dir
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + e.home, "XDG_RUNTIME_DIR=" + e.run, "CRUCIBLE_PLUGIN_PATH=" + binDir,
	}
	return cmd
}

// left waits at most two seconds for every process of the engine's to be gone.
func (e *engine) left() []string {
	var found []string
	for end := time.Now().Add(2 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if found = processesOf(e.home); len(found) == 0 {
			break
		}
	}
	return found
}

// killedAt starts a run and kills the engine after a while.
func (e *engine) killedAt(t *testing.T, after time.Duration) {
	t.Helper()
	cmd := e.command("--iterations", "50", "--ui", "headless")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(after, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	err := cmd.Wait()
	if cmd.ProcessState.Success() || cmd.ProcessState.Exited() {
		t.Fatalf("the engine ended by itself: %v\n%s", err, out.String())
	}
	if found := e.left(); len(found) > 0 {
		t.Fatalf("killed after %s; still there: %s", after, strings.Join(found, ", "))
	}
}

// checkLog wants every line to be whole.
func (e *engine) checkLog(t *testing.T, name string) {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(data) {
		if !json.Valid(line) {
			t.Errorf("%s has a torn line: %q", name, line)
		}
	}
}

// TestKilledEngineLeavesNothing kills the engine at ten random moments: no
// process is left, no socket directory outlives the next start, no log has a
// torn line, and the workspace can be run again.
func TestKilledEngineLeavesNothing(t *testing.T) {
	moments := 10
	if os.Getenv("CRUCIBLE_TORTURE") != "" {
		moments = 200
	}
	e := newEngine(t)
	for range moments {
		e.killedAt(t, time.Duration(20+rand.IntN(1200))*time.Millisecond)
	}
	out, err := e.command("--iterations", "1", "--ui", "headless").CombinedOutput()
	if err != nil {
		t.Fatalf("the run after the kills: %v\n%s", err, out)
	}
	if found := e.left(); len(found) > 0 {
		t.Errorf("still there: %s", strings.Join(found, ", "))
	}
	e.checkLog(t, filepath.Join(e.dir, "state", "session.jsonl"))
	logs, err := filepath.Glob(filepath.Join(e.dir, "state", "history", "*", "session.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range logs {
		e.checkLog(t, name)
	}
	if len(logs) == 0 {
		t.Error("no kill met a run that had begun")
	}
	err = filepath.WalkDir(e.run, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type()&os.ModeSocket != 0 {
			t.Errorf("socket left: %s", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
