package host_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/crucible-engine/crucible/core/host"
	"github.com/crucible-engine/crucible/sdk/transport"
)

// playEngine is an engine that starts a plugin and a turn that never ends, and
// waits to be killed.
func playEngine() {
	h, err := host.New(host.Options{})
	if err == nil {
		var tr transport.Transport
		if tr, err = h.Transport(context.Background(), os.Getenv(engineVariable)); err == nil {
			err = hangingTurn(tr)
		}
	}
	fmt.Println("engine:", err)
	os.Exit(1)
}

func hangingTurn(tr transport.Transport) error {
	_, err := tr.RunTurn(context.Background(), transport.Turn{RunID: "r", TurnID: "t", Workspace: "/", Command: "hang"}, func(e transport.Event) error {
		if output, ok := e.(transport.Output); ok {
			fmt.Println(string(output.Line))
		}
		return nil
	})
	return err
}

// However the engine dies, the plugin dies with it, and the next engine that
// starts leaves nothing of the first one behind.
func TestEngineKilled(t *testing.T) {
	t.Parallel()
	for _, behaviour := range []string{"good", "stubborn"} {
		t.Run(behaviour, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			install(t, f.named, "transport", behaviour)
			install(t, f.named, "transport", "other")
			engine := exec.Command(os.Args[0])
			engine.Env = []string{engineVariable + "=" + behaviour}
			for name, value := range f.env {
				engine.Env = append(engine.Env, name+"="+value)
			}
			out, err := engine.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := engine.Start(); err != nil {
				t.Fatal(err)
			}
			line, err := bufio.NewReader(out).ReadString('\n')
			_ = engine.Process.Kill()
			_ = engine.Wait()
			if err != nil {
				t.Fatal(err)
			}
			wantDead(t, processOf(t, strings.TrimSpace(line)), 2*time.Second)
			base := filepath.Join(f.runtime, "crucible")
			if got := names(t, base); len(got) != 2 {
				t.Errorf("after the kill: got %v, want a directory and its lock", got)
			}
			h := f.host(t)
			if _, err := h.Transport(t.Context(), "other"); err != nil {
				t.Fatal(err)
			}
			if err := h.Close(); err != nil {
				t.Error(err)
			}
			if got := names(t, base); len(got) != 0 {
				t.Errorf("after the next run: got %v, want nothing", got)
			}
		})
	}
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}
