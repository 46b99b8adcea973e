//go:build linux

package proc_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A program that adopts keeps nothing of what its children left behind, by
// whatever way it left their group, and does no harm to children that still run.
func TestAdopt(t *testing.T) {
	t.Parallel()
	seconds := fmt.Sprintf("601.%d", os.Getpid())
	parent := exec.Command(os.Args[0])
	parent.Env = append(os.Environ(), roleVariable+"=adopter", nonceVariable+"="+seconds)
	out, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parent.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	var got []string
	for lines := bufio.NewScanner(out); lines.Scan(); {
		got = append(got, lines.Text())
		if lines.Text() == "done" {
			break
		}
	}
	if diff := cmp.Diff([]string{"3 2", "4 2", "5 2", "done"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if left := commandLines(t, seconds); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
	// The one child that stays is the guard: no zombie is left either.
	if children := childrenOf(t, parent.Process.Pid); len(children) != 1 {
		t.Errorf("children that are left: %v", children)
	}
	_ = parent.Process.Kill()
	_ = parent.Wait()
}

// childrenOf is the ids of a process's children, zombies among them.
func childrenOf(t *testing.T, pid int) []string {
	t.Helper()
	lists, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	if err != nil {
		t.Fatal(err)
	}
	var children []string
	for _, name := range lists {
		if list, err := os.ReadFile(name); err == nil {
			children = append(children, strings.Fields(string(list))...)
		}
	}
	return children
}
