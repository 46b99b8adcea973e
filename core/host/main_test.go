package host_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// engineVariable makes this test binary an engine of its own; see playEngine.
const engineVariable = "HOST_TEST_ENGINE"

// The test binary is also every plugin of the tests: a link to it with the name
// of a plugin behaves as the name says.
func TestMain(m *testing.M) {
	if kind, behaviour, ok := roleOf(filepath.Base(os.Args[0])); ok {
		playPlugin(kind, behaviour)
		return
	}
	if os.Getenv(engineVariable) != "" {
		playEngine()
		return
	}
	code := m.Run()
	if left := leftBehind(); code == 0 && left != "" {
		fmt.Println("goroutines were left behind:\n" + left)
		code = 1
	}
	os.Exit(code)
}

func roleOf(file string) (kind, behaviour string, ok bool) {
	rest, ok := strings.CutPrefix(file, "crucible-")
	if !ok {
		return "", "", false
	}
	return strings.Cut(rest, "-")
}

// leftBehind shows the goroutines of the host, of go-plugin and of gRPC that
// still run, after a little time to end.
func leftBehind() string {
	for deadline := time.Now().Add(5 * time.Second); ; runtime.Gosched() {
		stacks := make([]byte, 4<<20)
		stacks = stacks[:runtime.Stack(stacks, true)]
		var left []string
		for _, one := range strings.Split(string(stacks), "\n\n") {
			if strings.Contains(one, "crucible/core/host.") || strings.Contains(one, "hashicorp/go-plugin") || strings.Contains(one, "google.golang.org/grpc") {
				left = append(left, one)
			}
		}
		if len(left) == 0 || time.Now().After(deadline) {
			return strings.Join(left, "\n\n")
		}
	}
}
