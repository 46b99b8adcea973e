package host_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crucible-engine/crucible/core/host"
	"github.com/crucible-engine/crucible/sdk/contract"
)

// A changed binary is refused wherever it was found, even where the operator
// named it and no entry would have been needed.
func TestChangedIsRefusedWhereverFound(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	named := goodScript(t, f.named, "transport", "x")
	f.trust(t, named)
	write(t, named, "#!/bin/sh\nexit 1\n")
	byPath := f.host(t)
	byFlag := f.host(t, func(o *host.Options) {
		o.Overrides = []host.Override{{Ref: host.Ref{Kind: "transport", Name: "x"}, Path: named}}
	})
	for name, h := range map[string]*host.Host{"path": byPath, "flag": byFlag} {
		_, err := h.Transport(t.Context(), "x")
		var trust *host.TrustError
		if !errors.As(err, &trust) || !trust.Changed() {
			t.Errorf("%s: got %v, want a TrustError for a change", name, err)
		}
	}
}

// What is trusted is the content: a copy elsewhere needs no entry of its own, but
// the entry of one plugin does not serve another.
func TestTrustIsOfContent(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	path := goodScript(t, f.named, "transport", "x")
	f.trust(t, path)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	remove(t, path)
	write(t, filepath.Join(f.standard, "crucible-transport-x"), string(data))
	write(t, filepath.Join(f.standard, "crucible-transport-y"), string(data))
	listed, err := f.host(t).List(t.Context())
	if err != nil || len(listed) != 2 {
		t.Fatalf("got %v, %v", listed, err)
	}
	if listed[0].Status != host.StatusOK || listed[1].Status != host.StatusUntrusted {
		t.Errorf("got %s and %s, want ok and untrusted", listed[0].Status, listed[1].Status)
	}
}

func TestTrustWritesLockFile(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	path := script(t, f.standard, host.Ref{Kind: "world", Name: "x"},
		`{"kind":"world","name":"x","version":"1.0.0","contract":"`+contract.Version+`","needs_env":["SSH_AUTH_SOCK"]}`)
	h := f.host(t)
	first, err := h.Inspect(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if first.Before != nil || first.Known() || first.SHA256 != hashOf(t, path) || first.LockFile != f.lock {
		t.Errorf("got %+v", first)
	}
	if err := h.Trust(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(f.lock)
	if err != nil || info.Mode() != 0o600 {
		t.Errorf("lock file: %v, %v, want mode 0600", info.Mode(), err)
	}
	second, err := h.Inspect(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if !second.Known() || second.Before.Added.IsZero() {
		t.Errorf("got %+v, want the entry", second.Before)
	}
	second.Before.Added = second.Before.Added.UTC().Truncate(0)
	want := &host.Entry{
		Kind: "world", Name: "x", Version: "1.0.0", Contract: contract.Version, Path: path, SHA256: hashOf(t, path),
		Added: second.Before.Added, Env: []string{"SSH_AUTH_SOCK"},
	}
	if diff := cmp.Diff(want, second.Before); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Several trusts at the same time lose nothing.
func TestTrustAtTheSameTime(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	names := []string{"a", "b", "c", "d", "e", "f"}
	var group sync.WaitGroup
	for _, name := range names {
		path := goodScript(t, f.standard, "transport", name)
		group.Go(func() { f.trust(t, path) })
	}
	group.Wait()
	listed, err := f.host(t).List(t.Context())
	if err != nil || len(listed) != len(names) {
		t.Fatalf("got %v, %v", listed, err)
	}
	for _, l := range listed {
		if l.Status != host.StatusOK {
			t.Errorf("%s: %s: %s", l.Ref, l.Status, l.Reason)
		}
	}
}

func TestInspectRefuses(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	describing := func(name, text string) string {
		return script(t, f.standard, host.Ref{Kind: "transport", Name: name}, text)
	}
	open := goodScript(t, f.standard, "transport", "open")
	chmod(t, open, 0o777)
	for _, test := range []struct{ name, path, want string }{
		{"missing", filepath.Join(f.standard, "none"), "no such file"},
		{"a rule", open, "chmod go-w"},
		{"another contract", describing("new", description("transport", "new", "0.99.0")), "speaks contract 0.99.0"},
		{"no plugin", describing("mute", "hello"), "ended before it was ready"},
		{"a variable of the handshake", describing("env", `{"kind":"transport","name":"env","version":"1.0.0","contract":"`+contract.Version+`","needs_env":["PLUGIN_CLIENT_CERT"]}`), "belongs to the handshake"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := f.host(t).Inspect(t.Context(), test.path)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want an error with %q", err, test.want)
			}
		})
	}
}

// A lock file that cannot be relied on stops every start.
func TestBadLockFile(t *testing.T) {
	t.Parallel()
	const entry = "[[plugin]]\nkind = \"transport\"\nname = \"x\"\nversion = \"1.0.0\"\ncontract = \"0.2.0\"\npath = \"/x\"\nadded = 2026-01-02T03:04:05Z\n"
	hash := "sha256 = \"" + strings.Repeat("a", 64) + "\"\n"
	for _, test := range []struct {
		name, text string
		mode       os.FileMode
		want       string
	}{
		{"syntax", "[[plugin]\n", 0o600, "plugins.lock:1:"},
		{"unknown key", entry + hash + "trusted = true\n", 0o600, "plugins.lock:9:1"},
		{"no hash", entry, 0o600, `sha256 "" is not 64 hexadecimal digits`},
		{"bad kind", strings.Replace(entry, "transport", "engine", 1) + hash, 0o600, "unknown kind"},
		{"relative path", strings.Replace(entry, "/x", "x", 1) + hash, 0o600, "is not absolute"},
		{"bad variable", entry + hash + "env = [\"A=B\"]\n", 0o600, "is not a name of an environment variable"},
		{"writable by others", entry + hash, 0o622, "chmod 600"},
		{"huge", strings.Repeat("#\n", 1<<20), 0o600, "at most 1048576 are read"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			goodScript(t, f.named, "transport", "x")
			if err := os.MkdirAll(filepath.Dir(f.lock), 0o700); err != nil {
				t.Fatal(err)
			}
			write(t, f.lock, test.text)
			chmod(t, f.lock, test.mode)
			h := f.host(t)
			_, startErr := h.Transport(t.Context(), "x")
			_, listErr := h.List(t.Context())
			for _, err := range []error{startErr, listErr} {
				if err == nil || !strings.Contains(err.Error(), test.want) {
					t.Errorf("got %v, want an error with %q", err, test.want)
				}
			}
		})
	}
}
