package manifest_test

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/crucible-engine/crucible/core/manifest"
	"github.com/crucible-engine/crucible/sdk/contract"
)

const (
	baseSHA = "0123456789abcdef0123456789abcdef01234567"
	token   = "0123456789abcdef0123456789abcdef01234567\tdomain"
)

var created = time.Date(2026, 8, 17, 12, 30, 0, 0, time.UTC)

// commit is a base commit: files by their path in the workspace.
type commit map[string]string

func (c commit) read(_ context.Context, path string) ([]byte, error) {
	text, ok := c[path]
	if !ok {
		return nil, contract.NewError(contract.KindNotFound, "read", path, fs.ErrNotExist)
	}
	return []byte(text), nil
}

// frozenPack is a pack whose manifest lies inside its workspace, after setup.
func frozenPack(t *testing.T, text string) (dir, path string, record manifest.Record, base commit) {
	t.Helper()
	dir = newPack(t)
	m := load(t, dir, text)
	if !m.Inside() {
		t.Fatal("the manifest is outside")
	}
	return dir, m.Path, manifest.NewRecord(m, baseSHA, token, created), commit{m.RelPath(): text, "GOAL.md": "the frozen goal\n"}
}

func TestFrozenIgnoresTheWorkingTree(t *testing.T) {
	t.Parallel()
	text := strings.Replace(injectText(".", "checks/*", "measure.sh"), "[agent]\n", "[agent]\ngoal_file = \"GOAL.md\"\n", 1)
	for _, tc := range []struct {
		name   string
		change func(t *testing.T, dir string)
		warned bool
	}{
		{"nothing", func(*testing.T, string) {}, false},
		{"an edit", func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, "crucible.toml"), strings.ReplaceAll(text, "lower", "higher"))
		}, true},
		{"another workspace", func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, "crucible.toml"), strings.ReplaceAll(text, `dir = "."`, `dir = "ws"`))
		}, true},
		{"garbage", func(t *testing.T, dir string) { write(t, filepath.Join(dir, "crucible.toml"), "\x00") }, true},
		{"removed", func(t *testing.T, dir string) { check(t, os.Remove(filepath.Join(dir, "crucible.toml"))) }, true},
		{"a link in its place", func(t *testing.T, dir string) {
			check(t, os.Remove(filepath.Join(dir, "crucible.toml")))
			check(t, os.Symlink("/etc/passwd", filepath.Join(dir, "crucible.toml")))
		}, true},
		{"a directory in its place", func(t *testing.T, dir string) {
			check(t, os.Remove(filepath.Join(dir, "crucible.toml")))
			check(t, os.MkdirAll(filepath.Join(dir, "crucible.toml/x"), 0o755))
		}, true},
		{"more and fewer files to inject", func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, "checks/evil.sh"), "e")
			check(t, os.Remove(filepath.Join(dir, "checks/a.sh")))
			check(t, os.Remove(filepath.Join(dir, "measure.sh")))
		}, false},
		{"a goal that changed", func(t *testing.T, dir string) { write(t, filepath.Join(dir, "GOAL.md"), "cheat") }, false},
		{"a goal that is gone", func(t *testing.T, dir string) { check(t, os.Remove(filepath.Join(dir, "GOAL.md"))) }, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			dir, path, record, base := frozenPack(t, text)
			tc.change(t, dir)
			m, err := manifest.Frozen(t.Context(), path, record, base.read)
			check(t, err)
			if string(m.Text) != text || m.Workspace.Dir != dir || m.Judge.Rule.Direction.String() != "lower" {
				t.Errorf("%+v", m)
			}
			want := []string{"checks/a.sh", "checks/b.txt", "measure.sh"}
			if diff := cmp.Diff(want, destinations(m)); diff != "" {
				t.Error(diff)
			}
			if (len(m.Warnings) == 1) != tc.warned {
				t.Errorf("warnings %v", m.Warnings)
			}
			goal, err := m.ReadText(t.Context(), m.Agent.GoalFile)
			if goal != "the frozen goal\n" || err != nil {
				t.Errorf("goal %q, %v", goal, err)
			}
			if rel, ok := m.InBase(filepath.Join(dir, "measure.sh")); rel != "measure.sh" || !ok {
				t.Errorf("in base: %q, %v", rel, ok)
			}
			if _, ok := m.InBase("/elsewhere"); ok {
				t.Error("a file outside is in the base")
			}
		})
	}
}

func TestFrozenOutside(t *testing.T) {
	t.Parallel()
	dir := newPack(t)
	text := injectText("workspace", "checks/*.sh")
	m := load(t, dir, text)
	record := manifest.NewRecord(m, baseSHA, token, created)
	if len(record.Injects) != 0 {
		t.Errorf("the record lists %v", record.Injects)
	}
	// The author may edit it between runs: no agent can write it.
	write(t, filepath.Join(dir, "checks/new.sh"), "n")
	edited := strings.Replace(text, "lower", "higher", 1)
	write(t, m.Path, edited)
	m, err := manifest.Frozen(t.Context(), m.Path, record, commit{}.read)
	check(t, err)
	if string(m.Text) != edited || len(m.Warnings) != 0 {
		t.Errorf("%s, %v", m.Text, m.Warnings)
	}
	if diff := cmp.Diff([]string{"checks/a.sh", "checks/new.sh"}, destinations(m)); diff != "" {
		t.Error(diff)
	}
	// What it names inside the workspace is the agent's to write.
	if rel, ok := m.InBase(filepath.Join(dir, "workspace/w.sh")); rel != "w.sh" || !ok {
		t.Errorf("in base: %q, %v", rel, ok)
	}
}

func TestFrozenRefusals(t *testing.T) {
	t.Parallel()
	text := injectText(".", "measure.sh")
	broken := errors.New("the disk is on fire")
	for _, tc := range []struct {
		name   string
		change func(t *testing.T, dir string, path *string, r *manifest.Record, base commit) manifest.ReadBase
		want   string
	}{
		{"not in the base", func(_ *testing.T, _ string, _ *string, _ *manifest.Record, base commit) manifest.ReadBase {
			delete(base, "crucible.toml")
			return base.read
		}, "the base commit " + baseSHA + " does not hold it"},
		{"another text in the base", func(_ *testing.T, _ string, _ *string, _ *manifest.Record, base commit) manifest.ReadBase {
			base["crucible.toml"] += "\n"
			return base.read
		}, "holds another text than freeze.json recorded"},
		{"the base cannot be read", func(*testing.T, string, *string, *manifest.Record, commit) manifest.ReadBase {
			return func(context.Context, string) ([]byte, error) { return nil, broken }
		}, broken.Error()},
		{"another manifest", func(t *testing.T, dir string, path *string, _ *manifest.Record, base commit) manifest.ReadBase {
			*path = filepath.Join(dir, "checks/crucible.toml")
			write(t, *path, text)
			return base.read
		}, "this state directory belongs to the manifest"},
		{"another workspace", func(_ *testing.T, dir string, _ *string, r *manifest.Record, base commit) manifest.ReadBase {
			r.Workspace = filepath.Dir(dir)
			base[filepath.Base(dir)+"/crucible.toml"] = text
			return base.read
		}, "but this state directory belongs to"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			dir, path, record, base := frozenPack(t, text)
			read := tc.change(t, dir, &path, &record, base)
			m, err := manifest.Frozen(t.Context(), path, record, read)
			if m != nil || err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got  %v\nwant %s", err, tc.want)
			}
		})
	}
	t.Run("an edited workspace outside", func(t *testing.T) {
		t.Parallel()
		dir := newPack(t)
		m := load(t, dir, injectText("workspace", "measure.sh"))
		record := manifest.NewRecord(m, baseSHA, token, created)
		write(t, m.Path, injectText("ws2", "measure.sh"))
		if _, err := manifest.Frozen(t.Context(), m.Path, record, nil); err == nil ||
			!strings.Contains(err.Error(), "it names the workspace "+filepath.Join(dir, "ws2")) {
			t.Error(err)
		}
	})
}

func TestRecordRoundTrip(t *testing.T) {
	t.Parallel()
	_, _, record, _ := frozenPack(t, injectText(".", "checks", "measure.sh"))
	dir := t.TempDir()
	check(t, manifest.WriteRecord(record, func(name string, data []byte) error {
		return os.WriteFile(filepath.Join(dir, name), data, 0o600)
	}))
	back, err := manifest.ReadRecord(dir)
	check(t, err)
	if diff := cmp.Diff(record, back); diff != "" {
		t.Error(diff)
	}
}

func TestReadRecordRefuses(t *testing.T) {
	t.Parallel()
	if _, err := manifest.ReadRecord(t.TempDir()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no record: %v", err)
	}
	_, _, good, _ := frozenPack(t, injectText(".", "measure.sh"))
	text := encode(t, good)
	for name, bad := range map[string]string{
		"empty":               "",
		"not JSON":            "x",
		"cut":                 text[:len(text)/2],
		"two values":          text + "{}",
		"an unknown key":      strings.Replace(text, `"manifest"`, `"manifesto"`, 1),
		"a relative manifest": strings.Replace(text, good.Manifest, "crucible.toml", 1),
		"dots":                strings.Replace(text, good.Workspace+`",`, good.Workspace+`/../x",`, 1),
		"a short sha":         strings.Replace(text, `"base_sha": "`+baseSHA, `"base_sha": "01`, 1),
		"no token":            strings.Replace(text, `\tdomain`, strings.Repeat("x", contract.MaxToken), 1),
		"an odd blob":         strings.Replace(text, good.BlobSHA, strings.ToUpper(good.BlobSHA), 1),
		"a short digest":      strings.Replace(text, good.TextSHA256, "ab", 1),
		"no time":             strings.Replace(text, "2026", "x", 1),
		"a bad destination":   strings.Replace(text, `"dst": "measure.sh"`, `"dst": "../measure.sh"`, 1),
		"git's destination":   strings.Replace(text, `"dst": "measure.sh"`, `"dst": ".git/x"`, 1),
		"a relative source":   strings.Replace(text, `"src": "/`, `"src": "`, 1),
		"a setuid mode":       strings.Replace(text, `"mode": 420`, `"mode": 2468`, 1),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if bad == text {
				t.Fatal("the case changes nothing")
			}
			dir := t.TempDir()
			write(t, filepath.Join(dir, manifest.RecordName), bad)
			if r, err := manifest.ReadRecord(dir); err == nil {
				t.Errorf("read as %+v", r)
			}
		})
	}
	bad := good
	bad.BaseSHA = "x"
	if err := manifest.WriteRecord(bad, func(string, []byte) error { return nil }); err == nil {
		t.Error("a bad record is written")
	}
}

func encode(t *testing.T, r manifest.Record) string {
	t.Helper()
	data, err := json.MarshalIndent(r, "", "  ")
	check(t, err)
	return string(data)
}

func TestBlobSHAIsGits(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"sha1", "sha256"} {
		dir := newPack(t)
		m := load(t, dir, injectText(".", "measure.sh"))
		check(t, os.RemoveAll(filepath.Join(dir, ".git")))
		check(t, exec.CommandContext(t.Context(), "git", "-C", dir, "init", "-q", "--object-format="+format).Run())
		out, err := exec.CommandContext(t.Context(), "git", "-C", dir, "hash-object", "crucible.toml").Output()
		check(t, err)
		sha := strings.TrimSpace(string(out))
		if got := manifest.NewRecord(m, strings.Repeat("0", len(sha)), token, created).BlobSHA; got != sha {
			t.Errorf("%s: got %s, git says %s", format, got, sha)
		}
	}
}
