//go:build linux

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
	default:
		os.Exit(m.Run())
	}
}

// playParent starts a shell with a child of its own, both of which would live
// for long and heed no signal but SIGKILL, prints their process ids and waits to
// be killed. A child that ended before must not confuse the guard.
func playParent() {
	_, err := proc.Run(context.Background(), proc.Shell("exit 0"))
	if err == nil {
		c := proc.Shell("trap '' HUP INT TERM; sleep 600 >/dev/null 2>&1 & echo $$ $!; wait")
		c.Env, c.StdoutTo = os.Environ(), os.Stdout
		_, err = proc.Run(context.Background(), c)
	}
	fmt.Println(err)
}
