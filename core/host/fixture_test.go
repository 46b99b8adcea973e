package host_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/crucible-engine/crucible/core/host"
	"github.com/crucible-engine/crucible/sdk/contract"
)

// fixture is an operator's machine: directories for plugins, for the lock file
// and for sockets, and an environment that names them.
type fixture struct {
	env map[string]string
	// named is a directory of CRUCIBLE_PLUGIN_PATH, standard one that needs trust.
	named, standard string
	// runtime is where run directories are made.
	runtime string
	lock    string
}

func newFixture(t testing.TB) *fixture {
	t.Helper()
	dir := t.TempDir()
	// The paths of sockets are bounded, those of t.TempDir are not.
	runtime, err := os.MkdirTemp("/tmp", "ch-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(runtime) })
	f := &fixture{
		named:    filepath.Join(dir, "named"),
		standard: filepath.Join(dir, "data", "crucible", "plugins"),
		runtime:  runtime,
		lock:     filepath.Join(dir, "config", "crucible", "plugins.lock"),
	}
	for _, path := range []string{f.named, f.standard} {
		if err := os.MkdirAll(path, 0o755); err != nil {
			t.Fatal(err)
		}
		chmod(t, path, 0o755)
	}
	f.env = map[string]string{
		"CRUCIBLE_PLUGIN_PATH": f.named,
		"XDG_DATA_HOME":        filepath.Join(dir, "data"),
		"XDG_CONFIG_HOME":      filepath.Join(dir, "config"),
		"XDG_RUNTIME_DIR":      runtime,
		"HOME":                 dir,
		"PATH":                 os.Getenv("PATH"),
	}
	return f
}

// host makes a host on the machine; it is closed at the end of the test.
func (f *fixture) host(t testing.TB, change ...func(*host.Options)) *host.Host {
	t.Helper()
	options := host.Options{Getenv: func(name string) string { return f.env[name] }}
	for _, c := range change {
		c(&options)
	}
	h, err := host.New(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	return h
}

// trust records trust in a binary.
func (f *fixture) trust(t testing.TB, path string) {
	t.Helper()
	h := f.host(t)
	inspected, err := h.Inspect(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Trust(context.Background(), inspected); err != nil {
		t.Fatal(err)
	}
}

// script writes a plugin that only describes itself.
func script(t *testing.T, dir string, ref host.Ref, description string) string {
	t.Helper()
	path := filepath.Join(dir, ref.Binary())
	write(t, path, "#!/bin/sh\n[ \"$1\" = --describe ] || exit 9\necho '"+description+"'\n")
	return path
}

func description(kind, name, contractVersion string) string {
	return fmt.Sprintf(`{"kind":%q,"name":%q,"version":"1.2.3","contract":%q}`, kind, name, contractVersion)
}

// goodScript is a script of this contract.
func goodScript(t *testing.T, dir, kind, name string) string {
	t.Helper()
	return script(t, dir, host.Ref{Kind: kind, Name: name}, description(kind, name, contract.Version))
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	chmod(t, path, 0o755)
}

func chmod(t testing.TB, path string, mode os.FileMode) {
	t.Helper()
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

func hashOf(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
