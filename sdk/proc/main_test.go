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

// playParent starts a child that would live for long, prints its process id and
// waits to be killed.
func playParent() {
	p, err := proc.Start(context.Background(), proc.Command{Path: "sleep", Args: []string{"sleep", "600"}})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println(p.Pid())
	_, _ = p.Wait()
}
