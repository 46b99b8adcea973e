package host_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/crucible-engine/crucible/core/host"
	"github.com/crucible-engine/crucible/sdk/contract"
)

// install makes the test binary a plugin in dir. A hard link is not a file that
// somebody writes, so it is never busy.
func install(t testing.TB, dir, kind, behaviour string) string {
	t.Helper()
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, host.Ref{Kind: kind, Name: behaviour}.Binary())
	if err := os.Link(binary, path); err != nil {
		t.Fatal(err)
	}
	return path
}

// A plugin that does not come up is one clear error, well within the time-out,
// and leaves no process.
func TestStartFaults(t *testing.T) {
	t.Parallel()
	const patience = time.Second
	for _, test := range []struct {
		behaviour string
		waits     bool // until the time-out
		kind      error
		want      []string
	}{
		{"prints", false, contract.ErrUnavailable, []string{`printed to stdout before the handshake: "Hello, I am a plugin!"`}},
		{"mute", true, contract.ErrUnavailable, []string{"it was not ready within 1s", "stderr: waiting for inspiration"}},
		{"exits", false, contract.ErrUnavailable, []string{"it ended before it was ready: exit status 3", "stderr: no license found"}},
		{"crashes", false, contract.ErrUnavailable, []string{"it ended before it was ready: exit status 2"}},
		{"dies-at-once", false, contract.ErrUnavailable, []string{"it ended before it was ready: exit status 4"}},
		{"deaf", true, contract.ErrUnavailable, []string{"it was not ready within 1s"}},
		{"elsewhere", false, contract.ErrUnavailable, []string{"/tmp/plugin.sock", "PLUGIN_UNIX_SOCKET_DIR"}},
		{"slow-describe", true, contract.ErrUnavailable, []string{"it was not ready within 1s"}},
		{"slow-configure", true, contract.ErrUnavailable, []string{"it was not ready within 1s"}},
		{"impostor", false, contract.ErrUnavailable, []string{"it says that it is transport/good"}},
		{"picky", false, contract.ErrInvalid, []string{"read settings image.tag: unknown key"}},
	} {
		t.Run(test.behaviour, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			path := install(t, f.named, "transport", test.behaviour)
			h := f.host(t, func(o *host.Options) {
				if test.waits {
					o.StartTimeout = patience
				}
			})
			begin := time.Now()
			_, err := h.Transport(t.Context(), test.behaviour)
			took := time.Since(begin)
			var start *host.StartError
			if !errors.As(err, &start) || !errors.Is(err, test.kind) || start.Path != path {
				t.Fatalf("got %v, want a StartError of %v", err, test.kind)
			}
			for _, part := range test.want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("got %v, want an error with %q", err, part)
				}
			}
			if took > patience+3*time.Second || (test.waits && took < patience) {
				t.Errorf("took %s", took)
			}
			wantNoProcess(t, path)
		})
	}
}

// A file that the system cannot execute is named by its path.
func TestCannotExecute(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ text, want string }{
		{"\x7fELF, but not really", "execute it: exec format error"},
		{"#!/nowhere/sh\n", "execute /nowhere/sh: no such file or directory"},
	} {
		f := newFixture(t)
		path := filepath.Join(f.named, "crucible-transport-x")
		write(t, path, test.text)
		_, err := f.host(t).Transport(t.Context(), "x")
		if err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("got %v, want an error with %q", err, test.want)
		}
	}
}

// Another contract at the handshake is an error that says all there is to know.
func TestOtherContract(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ behaviour, plugin, contract string }{
		{"future", "1.2.3", "0.99.0"},
		{"future-mute", "", "0.3"}, // it has no --describe: all that is known is the number
		{"liar", "1.2.3", "0.99.0"},
	} {
		t.Run(test.behaviour, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			path := install(t, f.named, "transport", test.behaviour)
			_, err := f.host(t).Transport(t.Context(), test.behaviour)
			var version *host.VersionError
			if !errors.As(err, &version) || !errors.Is(err, contract.ErrInvalid) {
				t.Fatalf("got %v, want a VersionError", err)
			}
			if !version.Newer || version.Path != path || version.Contract != test.contract || version.Plugin != test.plugin {
				t.Errorf("got %+v", version)
			}
			for _, part := range []string{path, test.plugin, test.contract, contract.Version, "or a newer crucible"} {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%q does not say %q", err, part)
				}
			}
			wantNoProcess(t, path)
		})
	}
}

// A host that is closed, or a caller that gives up, does not wait for a start.
func TestStartIsGivenUp(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	path := install(t, f.named, "transport", "mute")
	h := f.host(t)
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, err := h.Transport(ctx, "mute"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want the end of the context", err)
	}
	var group sync.WaitGroup
	group.Go(func() {
		if _, err := h.Transport(t.Context(), "mute"); !errors.Is(err, host.ErrClosed) {
			t.Errorf("got %v, want ErrClosed", err)
		}
	})
	begin := time.Now()
	if err := h.Close(); err != nil {
		t.Error(err)
	}
	group.Wait()
	if took := time.Since(begin); took > 5*time.Second {
		t.Errorf("took %s", took)
	}
	wantNoProcess(t, path)
}

// Two plugins are started side by side: neither waits for the other.
func TestStartsAreParallel(t *testing.T) {
	t.Parallel()
	const patience = time.Second
	f := newFixture(t)
	install(t, f.named, "transport", "mute")
	install(t, f.named, "world", "mute")
	h := f.host(t, func(o *host.Options) { o.StartTimeout = patience })
	begin := time.Now()
	var group sync.WaitGroup
	group.Go(func() { _, _ = h.Transport(t.Context(), "mute") })
	group.Go(func() { _, _ = h.World(t.Context(), "mute") })
	group.Wait()
	if took := time.Since(begin); took < patience || took > patience*19/10 {
		t.Errorf("took %s, want a little more than %s", took, patience)
	}
}

// However many ask at the same time, one process is started for each plugin.
func TestOneProcessForAll(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	install(t, f.named, "transport", "good")
	install(t, f.named, "world", "good")
	h := f.host(t)
	var mu sync.Mutex
	pids := map[string]bool{}
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			if _, err := h.World(t.Context(), "good"); err != nil {
				t.Error(err)
			}
		})
		group.Go(func() {
			tr, err := h.Transport(t.Context(), "good")
			if err != nil {
				t.Error(err)
				return
			}
			lines, _, err := turn(t.Context(), tr, "")
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			pids[lines[0]] = true
		})
	}
	group.Wait()
	if len(pids) != 1 {
		t.Errorf("turns ran in %d processes, want 1", len(pids))
	}
	used := h.Used()
	if len(used) != 2 || used[0].Info.Kind != "transport" || used[1].Info.Kind != "world" {
		t.Fatalf("got %+v", used)
	}
	for _, u := range used {
		if u.SHA256 != hashOf(t, u.Path) || u.Info.Version != "1.2.3" || u.Origin != host.FromPath {
			t.Errorf("got %+v", u)
		}
	}
}

// A plugin sees the allow list and what was granted to it, not the engine's
// secrets.
func TestClearedEnvironment(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.env["HOST_TEST_SECRET"], f.env["HOST_TEST_GRANTED"] = "s", "g"
	install(t, f.named, "transport", "good")
	f.trust(t, install(t, f.standard, "transport", "needy"))
	h := f.host(t)
	for name, granted := range map[string]bool{"good": false, "needy": true} {
		tr, err := h.Transport(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		lines, _, err := turn(t.Context(), tr, "env")
		if err != nil {
			t.Fatal(err)
		}
		names := map[string]string{}
		for _, entry := range lines[1:] {
			key, value, _ := strings.Cut(entry, "=")
			names[key] = value
		}
		if _, ok := names["HOST_TEST_GRANTED"]; ok != granted {
			t.Errorf("%s: granted variable seen: %v", name, ok)
		}
		if names["PATH"] == "" || names["HOME"] != f.env["HOME"] || names["XDG_RUNTIME_DIR"] != f.runtime {
			t.Errorf("%s: the allow list did not arrive: %v", name, names)
		}
		for key := range names {
			switch {
			case strings.HasPrefix(key, "PLUGIN_"), key == contract.CookieKey:
			case key == "PATH", key == "HOME", key == "XDG_RUNTIME_DIR", key == "HOST_TEST_GRANTED":
			default:
				t.Errorf("%s: sees %s", name, key)
			}
		}
	}
}

// The file that was hashed is the file that is executed: a restart does not pick
// up what lies at the path by then.
func TestExecutesWhatWasHashed(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	path := install(t, f.named, "transport", "good")
	h := f.host(t)
	tr, err := h.Transport(t.Context(), "good")
	if err != nil {
		t.Fatal(err)
	}
	remove(t, path)
	write(t, path, "#!/bin/sh\nexit 1\n")
	if _, _, err := turn(t.Context(), tr, "die"); err == nil {
		t.Error("the plugin did not die")
	}
	if _, _, err := turn(t.Context(), tr, ""); err != nil {
		t.Errorf("after the restart: %v", err)
	}
	if used := h.Used(); len(used) != 1 || used[0].SHA256 == hashOf(t, path) {
		t.Errorf("got %+v", used)
	}
}

// A plugin that is built with the SDK.
func TestPluginOfSDK(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	path := install(t, f.standard, "transport", "sdk")
	f.trust(t, path)
	h := f.host(t)
	listed, err := h.List(t.Context())
	if err != nil || len(listed) != 1 || listed[0].Status != host.StatusOK {
		t.Errorf("got %+v, %v", listed, err)
	}
	tr, err := h.Transport(t.Context(), "sdk")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := turn(t.Context(), tr, "die"); !errors.Is(err, contract.ErrUnavailable) {
		t.Errorf("got %v, want ErrUnavailable", err)
	}
	if _, _, err := turn(t.Context(), tr, ""); err != nil {
		t.Error(err)
	}
	begin := time.Now()
	if err := h.Close(); err != nil {
		t.Error(err)
	}
	if took := time.Since(begin); took > 2*time.Second {
		t.Errorf("Close took %s", took)
	}
	wantNoProcess(t, path)
}

// A script is a plugin, too: its interpreter reads a private copy.
func TestScriptAsPlugin(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	binary := install(t, t.TempDir(), "transport", "good")
	path := filepath.Join(f.standard, "crucible-transport-good")
	write(t, path, "#!/bin/sh -e\nexec "+binary+" \"$@\"\n")
	f.trust(t, path)
	tr, err := f.host(t).Transport(t.Context(), "good")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := turn(t.Context(), tr, ""); err != nil {
		t.Error(err)
	}
}
