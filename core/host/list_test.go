package host_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crucible-engine/crucible/core/host"
	"github.com/crucible-engine/crucible/sdk/contract"
)

func TestList(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	put := func(dir, kind, name, text string) { script(t, dir, host.Ref{Kind: kind, Name: name}, text) }
	goodScript(t, f.named, "transport", "good")
	goodScript(t, f.standard, "transport", "untrusted")
	f.trust(t, goodScript(t, f.standard, "transport", "trusted"))
	f.trust(t, goodScript(t, f.standard, "transport", "changed"))
	put(f.standard, "transport", "changed", description("transport", "changed", "0.2.1"))
	put(f.named, "transport", "new", description("transport", "new", "0.99.0"))
	put(f.named, "transport", "old", description("transport", "old", "0.1.9"))
	put(f.named, "transport", "other", description("world", "other", contract.Version))
	put(f.named, "transport", "renamed", description("transport", "name", contract.Version))
	put(f.named, "transport", "mute", "no JSON")
	goodScript(t, f.named, "world", "open")
	chmod(t, filepath.Join(f.named, "crucible-world-open"), 0o777)
	write(t, filepath.Join(f.named, "crucible-engine-x"), "no plugin")
	write(t, filepath.Join(f.named, "README"), "no plugin")

	listed, err := f.host(t).List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	type row struct {
		Ref, Version string
		Status       host.Status
		Reason       string
	}
	var got []row
	for _, l := range listed {
		got = append(got, row{l.Ref.String(), l.Info.Version, l.Status, l.Reason})
		if l.Status != host.StatusBroken && l.SHA256 != hashOf(t, l.Path) {
			t.Errorf("%s: wrong hash %s", l.Ref, l.SHA256)
		}
	}
	want := []row{
		{"transport/changed", "", host.StatusChanged, "has changed since it was trusted"},
		{"transport/good", "1.2.3", host.StatusOK, ""},
		{"transport/mute", "", host.StatusBroken, "ended before it was ready: exit status 9"},
		{"transport/new", "1.2.3", host.StatusTooNew, "speaks contract 0.99.0, this crucible speaks"},
		{"transport/old", "1.2.3", host.StatusTooOld, "install a version of the plugin built for contract"},
		{"transport/other", "1.2.3", host.StatusWrongKind, "it says that it is world/other"},
		{"transport/renamed", "1.2.3", host.StatusWrongKind, "it says that it is transport/name"},
		{"transport/trusted", "1.2.3", host.StatusOK, ""},
		{"transport/untrusted", "", host.StatusUntrusted, "is not trusted"},
		{"world/open", "", host.StatusBroken, "is writable by its group or by everybody"},
	}
	same := cmp.Comparer(func(a, b row) bool {
		within := strings.Contains(a.Reason, b.Reason) || strings.Contains(b.Reason, a.Reason)
		return a.Ref == b.Ref && a.Version == b.Version && a.Status == b.Status && within && (a.Reason == "") == (b.Reason == "")
	})
	if diff := cmp.Diff(want, got, same); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What is not trusted is not executed, by nobody.
func TestUntrustedIsNotExecuted(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	mark := filepath.Join(t.TempDir(), "mark")
	path := filepath.Join(f.standard, "crucible-transport-x")
	write(t, path, "#!/bin/sh\n: >"+mark+"\n")
	h := f.host(t)
	if _, err := h.List(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, startErr := h.Transport(t.Context(), "x")
	_, checkErr := h.Check(t.Context(), host.Ref{Kind: "transport", Name: "x"})
	for _, err := range []error{startErr, checkErr} {
		var trust *host.TrustError
		if !errors.As(err, &trust) || trust.Changed() || !errors.Is(err, contract.ErrInvalid) {
			t.Errorf("got %v, want a TrustError", err)
			continue
		}
		if want := "crucible plugin trust " + path; !strings.Contains(err.Error(), want) || trust.SHA256 != hashOf(t, path) {
			t.Errorf("%q does not say %q", err, want)
		}
	}
	if _, err := os.Stat(mark); err == nil {
		t.Error("the binary was executed")
	}
}

// List and Check start a plugin that has no --describe, and end it.
func TestListAndCheckForeign(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	paths := []string{install(t, f.named, "transport", "foreign"), install(t, f.named, "world", "good")}
	h := f.host(t)
	listed, err := h.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]host.Status{}
	for _, l := range listed {
		got[l.Ref.String()+" "+l.Info.Version] = l.Status
	}
	want := map[string]host.Status{"transport/foreign 1.2.3": host.StatusOK, "world/good 1.2.3": host.StatusOK}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	checked, err := h.Check(t.Context(), host.Ref{Kind: "world", Name: "good"})
	if err != nil || checked.Failed() || checked.Info.Name != "good" || checked.Path != paths[1] {
		t.Errorf("got %+v, %v", checked, err)
	}
	for _, path := range paths {
		wantNoProcess(t, path)
	}
}
