package proc_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/crucible-engine/crucible/sdk/proc"
)

// roleVariable makes the test binary play a program instead of testing.
const roleVariable = "CRUCIBLE_PROC_TEST_ROLE"

func TestMain(m *testing.M) {
	switch os.Getenv(roleVariable) {
	case "parent":
		playParent()
	case "guarded parent":
		playGuardedParent()
	default:
		os.Exit(m.Run())
	}
}

// playParent starts a child and a grandchild that would live for long, prints
// their process ids and waits to be killed.
func playParent() {
	_, err := proc.Run(context.Background(), proc.Command{
		Path: "/bin/sh", Args: []string{"sh", "-c", "sleep 600 & echo $$ $!; wait"}, StdoutTo: os.Stdout,
	})
	fmt.Println(err)
}

// playGuardedParent starts a shell with a child of its own that would live for
// long and ignores its output, prints the process id of the latter and waits to
// be killed.
func playGuardedParent() {
	guard, err := proc.NewGuard()
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	ended := proc.Shell("exit 0")
	ended.Guard = guard
	if _, err := proc.Run(context.Background(), ended); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	c := proc.Shell("trap '' TERM HUP; sleep 600 >/dev/null 2>&1 & echo $!; wait")
	c.Env, c.Guard = os.Environ(), guard
	c.Stdout = func(line proc.Line) { fmt.Println(line.Text) }
	_, _ = proc.Run(context.Background(), c)
}
