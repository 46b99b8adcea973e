package host_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crucible-engine/crucible/core/host"
	"github.com/crucible-engine/crucible/sdk/contract"
)

func TestParseOverride(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		text string
		want host.Override
		err  string
	}{
		{text: "transport/command=/opt/x", want: host.Override{Ref: host.Ref{Kind: "transport", Name: "command"}, Path: "/opt/x"}},
		{text: "world/git=/opt/../x=y", want: host.Override{Ref: host.Ref{Kind: "world", Name: "git"}, Path: "/x=y"}},
		{text: "transport/command", err: "want KIND/NAME=PATH"},
		{text: "command=/x", err: "want KIND/NAME,"},
		{text: "engine/x=/x", err: "unknown kind"},
		{text: "transport/../x=/x", err: "the name must be"},
		{text: "transport/X=/x", err: "the name must be"},
		{text: "transport/x=bin/x", err: "must be absolute"},
		{text: "transport/x=", err: "must be absolute"},
	} {
		t.Run(test.text, func(t *testing.T) {
			t.Parallel()
			got, err := host.ParseOverride(test.text)
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) {
					t.Errorf("got %v, want an error with %q", err, test.err)
				}
				return
			}
			if err != nil || got != test.want {
				t.Errorf("got %+v, %v, want %+v", got, err, test.want)
			}
		})
	}
}

// The first hit wins: the flag, then CRUCIBLE_PLUGIN_PATH, then the standard
// directories. PATH, the working directory and the directory of the engine's
// own binary are not looked at.
func TestSearchOrder(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	second := filepath.Join(t.TempDir(), "second")
	elsewhere := filepath.Join(t.TempDir(), "elsewhere")
	for _, dir := range []string{second, elsewhere} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	f.env["CRUCIBLE_PLUGIN_PATH"] = f.named + "::" + second
	f.env["PATH"] = elsewhere + ":" + f.env["PATH"]
	goodScript(t, elsewhere, "transport", "path")
	override := goodScript(t, elsewhere, "transport", "a")
	for _, name := range []string{"a", "b"} {
		goodScript(t, f.named, "transport", name)
	}
	for _, name := range []string{"a", "b", "c"} {
		goodScript(t, second, "transport", name)
	}
	for _, name := range []string{"a", "b", "c", "d"} {
		goodScript(t, f.standard, "transport", name)
	}
	h := f.host(t, func(o *host.Options) {
		o.Overrides = []host.Override{{Ref: host.Ref{Kind: "transport", Name: "a"}, Path: override}}
	})
	listed, err := h.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, l := range listed {
		got[l.Ref.String()] = l.Path
	}
	want := map[string]string{
		"transport/a": override,
		"transport/b": filepath.Join(f.named, "crucible-transport-b"),
		"transport/c": filepath.Join(second, "crucible-transport-c"),
		"transport/d": filepath.Join(f.standard, "crucible-transport-d"),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestNotFound(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	goodScript(t, f.named, "world", "x") // another kind
	_, err := f.host(t).Transport(t.Context(), "x")
	var missing *host.NotFoundError
	if !errors.As(err, &missing) || !errors.Is(err, contract.ErrInvalid) {
		t.Fatalf("got %v, want a NotFoundError", err)
	}
	for _, part := range []string{
		"transport/x", "crucible-transport-x", f.named, f.standard, "/usr/local/lib/crucible/plugins", "/usr/lib/crucible/plugins",
		"CRUCIBLE_PLUGIN_PATH", "--plugin transport/x=",
	} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q does not name %s", err, part)
		}
	}
}

func TestSearchPathMustBeAbsolute(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.env["CRUCIBLE_PLUGIN_PATH"] = "bin"
	_, err := host.New(host.Options{Getenv: func(name string) string { return f.env[name] }})
	if err == nil || !strings.Contains(err.Error(), `CRUCIBLE_PLUGIN_PATH: "bin" is not an absolute path`) {
		t.Errorf("got %v", err)
	}
}

// A binary that another user, or an agent, could have put there or can change is
// refused, and what the error says is enough to mend it.
func TestFileRules(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		arrange func(t *testing.T, f *fixture, path string)
		want    string
	}{
		{"writable by the group", func(t *testing.T, _ *fixture, path string) { chmod(t, path, 0o775) }, "is writable by its group or by everybody; chmod go-w"},
		{"writable by all", func(t *testing.T, _ *fixture, path string) { chmod(t, path, 0o757) }, "is writable by its group or by everybody; chmod go-w"},
		{"directory writable by the group", func(t *testing.T, f *fixture, _ string) { chmod(t, f.named, 0o775) }, "named is writable by its group or by everybody"},
		{"directory writable by all, sticky", func(t *testing.T, f *fixture, _ string) { chmod(t, f.named, 0o777|os.ModeSticky) }, "named is writable by its group"},
		{"a directory above writable by all", func(t *testing.T, f *fixture, _ string) { chmod(t, filepath.Dir(f.named), 0o777) }, "is writable by everybody; chmod o-w"},
		{"not executable", func(t *testing.T, _ *fixture, path string) { chmod(t, path, 0o644) }, "is not executable; chmod +x"},
		{"a directory", func(t *testing.T, _ *fixture, path string) { remove(t, path); mkdir(t, path) }, "is not a regular file"},
		{"a pipe", func(t *testing.T, _ *fixture, path string) { remove(t, path); mkfifo(t, path) }, "is not a regular file"},
		{"a dangling link", func(t *testing.T, _ *fixture, path string) { remove(t, path); symlink(t, "/nowhere", path) }, "no such file"},
		{"a link out of the directory", func(t *testing.T, f *fixture, path string) {
			elsewhere := goodScript(t, f.standard, "transport", "x")
			remove(t, path)
			symlink(t, elsewhere, path)
		}, "is a link out of its directory"},
		{"in the workspace", func(t *testing.T, f *fixture, _ string) { f.env["workspace"] = filepath.Dir(f.named) }, "lies in the workspace"},
		{"in the workspace by a link", func(t *testing.T, f *fixture, _ string) {
			link := filepath.Join(t.TempDir(), "link")
			symlink(t, filepath.Dir(f.named), link)
			f.env["workspace"] = link
		}, "lies in the workspace"},
		{"empty", func(t *testing.T, _ *fixture, path string) { write(t, path, "") }, "read the file: EOF"},
		{"a script without an interpreter", func(t *testing.T, _ *fixture, path string) { write(t, path, "#!sh\n") }, "names no interpreter"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			test.arrange(t, f, goodScript(t, f.named, "transport", "x"))
			h := f.host(t, func(o *host.Options) { o.Workspace = f.env["workspace"] })
			_, err := h.Transport(t.Context(), "x")
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want an error with %q", err, test.want)
			}
		})
	}
}

// A link that stays in its directory is how versions are kept side by side.
func TestLinkWithinDirectory(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	versions := filepath.Join(f.named, "versions")
	mkdir(t, versions)
	goodScript(t, versions, "transport", "x")
	symlink(t, "versions/crucible-transport-x", filepath.Join(f.named, "crucible-transport-x"))
	listed, err := f.host(t).List(t.Context())
	if err != nil || len(listed) != 1 || listed[0].Status != host.StatusOK {
		t.Errorf("got %+v, %v", listed, err)
	}
}

func TestOwnerRule(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can give a file away")
	}
	f := newFixture(t)
	path := goodScript(t, f.named, "transport", "x")
	if err := os.Chown(path, 12345, -1); err != nil {
		t.Fatal(err)
	}
	_, err := f.host(t).Transport(t.Context(), "x")
	var rule *host.RuleError
	if !errors.As(err, &rule) || !strings.Contains(err.Error(), "belongs to another user (uid 12345)") {
		t.Errorf("got %v", err)
	}
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}

func mkdir(t *testing.T, path string) {
	t.Helper()
	if err := os.Mkdir(path, 0o755); err != nil {
		t.Fatal(err)
	}
}

func mkfifo(t *testing.T, path string) {
	t.Helper()
	if err := syscall.Mkfifo(path, 0o755); err != nil {
		t.Fatal(err)
	}
}

func symlink(t *testing.T, target, path string) {
	t.Helper()
	if err := os.Symlink(target, path); err != nil {
		t.Fatal(err)
	}
}
