package e2e_test

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// hangingPack has a domain, a file beside the manifest, and a self-test that
// changes it and then hangs.
const hangingPack = `
[repo]
path = "."

[workspace]
setup_cmd = "mkdir workspace && echo 10 >workspace/value; test -e domain || echo 10 >domain"

[agent]
backend = "command"
goal = "g"
agent_cmd = "true"

[world]
snapshot_cmd = "cat \"$DOMAIN\""
restore_cmd = "echo \"$CRUCIBLE_TOKEN\" >\"$DOMAIN\""

[judge]
measure_cmd = "echo \"{\\\"valid\\\": true, \\\"score\\\": $(cat value)}\""
direction = "lower"

[judge.selftest]
good_cmd = "echo 1 >value"
bad_cmd = "echo 20 >value; echo 99 >\"$DOMAIN\"; echo hanging >&2; test -e \"$DOMAIN.ready\" || { touch \"$DOMAIN.ready\"; sleep 600; }"
`

// TestCheckStopped: a check that is stopped in the middle of its self-test, even
// by SIGKILL, leaves the domain as it was, at the latest after the next check.
func TestCheckStopped(t *testing.T) {
	t.Parallel()
	for name, after := range map[string][]string{"interrupt": nil, "kill, then check": {"check"}, "kill, then run": {"--iterations", "0", "--ui", "headless"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEngine(t)
			e.write(t, "crucible.toml", hangingPack)
			domain := filepath.Join(e.dir, "domain")
			e.write(t, "domain", "10\n")
			command := func(args ...string) *exec.Cmd {
				cmd := e.command(args...)
				cmd.Env = append(cmd.Env, "DOMAIN="+domain)
				return cmd
			}
			cmd := command("check")
			stderr, err := cmd.StderrPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			for lines := bufio.NewScanner(stderr); lines.Scan() && !strings.Contains(lines.Text(), "bad_cmd"); {
			}
			for begin := time.Now(); ; {
				if _, err := os.Stat(domain + ".ready"); err == nil {
					break
				}
				if time.Since(begin) > 30*time.Second {
					t.Fatal("the self-test did not get to its bad state")
				}
			}
			signal, status := syscall.SIGINT, 130
			if after != nil {
				signal, status = syscall.SIGKILL, -1
			}
			_ = cmd.Process.Signal(signal)
			if err := cmd.Wait(); cmd.ProcessState.ExitCode() != status {
				t.Errorf("exit status %d, %v", cmd.ProcessState.ExitCode(), err)
			}
			if after != nil {
				out, err := command(after...).CombinedOutput()
				if code := new(exec.ExitError); err != nil && (!errors.As(err, &code) || code.ExitCode() != 1) {
					t.Errorf("%v: %v\n%s", after, err, out)
				}
			}
			if text, err := os.ReadFile(domain); err != nil || string(text) != "10\n" {
				t.Errorf("the domain is %q, %v", text, err)
			}
			if _, err := os.Stat(filepath.Join(e.dir, "state", "check")); err == nil {
				t.Error("the copy is left")
			}
			if found := e.left(); len(found) > 0 {
				t.Errorf("still there: %s", strings.Join(found, ", "))
			}
		})
	}
}
