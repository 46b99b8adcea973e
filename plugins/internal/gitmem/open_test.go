package gitmem_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/crucible-engine/crucible/sdk/contract"
	"github.com/crucible-engine/crucible/sdk/world"
)

// unopened is a place for a workspace that does not exist.
func unopened(t *testing.T) *bench {
	t.Helper()
	root := t.TempDir()
	t.Cleanup(func() { unlock(root) })
	return &bench{t: t, root: root, dir: filepath.Join(root, "ws"), store: newStore(t, filepath.Join(root, "scratch"))}
}

// fails opens and wants an error of a kind that says something, with no trace of
// a workspace left.
func (b *bench) fails(req world.OpenRequest, kind error, says string) {
	b.t.Helper()
	_, err := b.store.Open(b.t.Context(), b.request(req), nil)
	if !errors.Is(err, kind) || !strings.Contains(err.Error(), says) {
		b.t.Errorf("open: %v, want %v: %s", err, kind, says)
	}
	entries, readErr := os.ReadDir(b.root)
	must(b.t, readErr)
	for _, e := range entries {
		if strings.Contains(e.Name(), "ws") {
			b.t.Errorf("%s was left", e.Name())
		}
	}
}

// upstream is a repository to clone: branch main, branch "feature/x", tag v1 and
// a commit that nothing leads to.
func upstream(t *testing.T) (dir, orphan string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "up stream")
	mkdir(t, dir)
	gitIn(t, dir, "init", "-q", "-b", "main")
	writeFiles(t, dir, map[string]string{"f": "v1\n", "crlf.bat": "a\r\n", ".gitattributes": "* text=auto\n*.bat text eol=crlf\n"})
	gitIn(t, dir, "add", "-A")
	gitIn(t, dir, "commit", "-qm", "one")
	gitIn(t, dir, "tag", "-a", "v1", "-m", "v1")
	gitIn(t, dir, "checkout", "-q", "-b", "feature/x")
	writeFiles(t, dir, map[string]string{"f": "feature\n"})
	gitIn(t, dir, "commit", "-qam", "two")
	gitIn(t, dir, "checkout", "-q", "--detach")
	writeFiles(t, dir, map[string]string{"f": "orphan\n"})
	gitIn(t, dir, "commit", "-qam", "three")
	orphan = gitIn(t, dir, "rev-parse", "HEAD")
	gitIn(t, dir, "checkout", "-q", "main")
	writeFiles(t, dir, map[string]string{"f": "main\n"})
	gitIn(t, dir, "commit", "-qam", "four")
	gitIn(t, dir, "config", "uploadpack.allowAnySHA1InWant", "true")
	return dir, orphan
}

func TestClone(t *testing.T) {
	t.Parallel()
	dir, orphan := upstream(t)
	tests := map[string]struct {
		src          world.Source
		file, branch string
	}{
		"default":      {world.Source{Path: dir}, "main\n", "main"},
		"url":          {world.Source{URL: "file://" + dir}, "main\n", "main"},
		"branch":       {world.Source{Path: dir, Ref: "feature/x"}, "feature\n", "feature/x"},
		"tag":          {world.Source{URL: dir, Ref: "v1"}, "v1\n", ""},
		"short commit": {world.Source{Path: dir, Ref: gitIn(t, dir, "rev-parse", "--short=10", "v1^{commit}")}, "v1\n", ""},
		"commit":       {world.Source{Path: dir, Ref: gitIn(t, dir, "rev-parse", "feature/x")}, "feature\n", ""},
		"lost commit":  {world.Source{URL: "file://" + dir, Ref: orphan}, "orphan\n", ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := unopened(t)
			var log []string
			opened, err := b.store.Open(t.Context(), b.request(world.OpenRequest{Source: &test.src}), func(l world.LogLine) { log = append(log, string(l.Line)) })
			must(t, err)
			b.id = opened.WorldID
			head := b.git("rev-parse", "HEAD")
			if !opened.Fresh || opened.Commit != head {
				t.Errorf("opened %+v, HEAD is %s", opened, head)
			}
			if got := files(t, b.dir)["f"]; got != "file "+test.file {
				t.Errorf("f is %q", got)
			}
			if got := b.git("branch", "--show-current"); got != test.branch {
				t.Errorf("on branch %q, want %q", got, test.branch)
			}
			if len(log) == 0 || !strings.Contains(log[0], "cloning") {
				t.Errorf("log: %q", log)
			}
			base := b.snapshot("base")
			if base.Changed || base.Commit != opened.Commit {
				t.Errorf("nothing changed, but %+v", base)
			}
			b.write(map[string]string{"injected": "x"})
			second := b.snapshot("with injects")
			if got := b.git("rev-parse", "HEAD~1"); got != opened.Commit {
				t.Errorf("the parent of the first snapshot is %s", got)
			}
			b.agrees(second.Commit)
			b.restore(base.Token)
			b.agrees(base.Commit)
		})
	}
}

func TestCloneSharesNothing(t *testing.T) {
	t.Parallel()
	dir, _ := upstream(t)
	b := unopened(t)
	b.open(world.OpenRequest{Source: &world.Source{Path: dir}})
	err := filepath.WalkDir(b.path(".git/objects"), func(p string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			err = os.Chmod(p, 0o644)
		}
		if err == nil && !d.IsDir() {
			err = os.WriteFile(p, []byte("garbage"), 0o644)
		}
		return err
	})
	must(t, err)
	gitIn(t, dir, "fsck", "--full")
}

func TestCloneRefuses(t *testing.T) {
	t.Parallel()
	dir, _ := upstream(t)
	marker := filepath.Join(t.TempDir(), "ran")
	empty := t.TempDir()
	tests := map[string]struct {
		src  world.Source
		says string
	}{
		"option":           {world.Source{URL: "--upload-pack=touch " + marker}, "no address"},
		"ext":              {world.Source{URL: "ext::sh -c touch% " + marker}, "helper"},
		"fd":               {world.Source{URL: "fd::17"}, "helper"},
		"http":             {world.Source{URL: "http://example.invalid/x"}, "protocol"},
		"ssh option":       {world.Source{URL: "ssh://-oProxyCommand=touch " + marker + "/x"}, ""},
		"scp option":       {world.Source{URL: "-oProxyCommand=x:y"}, "no address"},
		"ref option":       {world.Source{Path: dir, Ref: "--upload-pack=x"}, "no name"},
		"ref spec":         {world.Source{Path: dir, Ref: "HEAD~1"}, "no name"},
		"ref reflog":       {world.Source{Path: dir, Ref: "main@{1}"}, "no name"},
		"no such ref":      {world.Source{Path: dir, Ref: "nowhere"}, `no branch, tag or commit "nowhere"`},
		"no such commit":   {world.Source{Path: dir, Ref: strings.Repeat("ab", 20)}, "no branch, tag or commit"},
		"no such path":     {world.Source{Path: filepath.Join(dir, "nowhere")}, "does not exist"},
		"not a repository": {world.Source{Path: empty}, ""},
		"both":             {world.Source{Path: dir, URL: dir}, "exactly one"},
		"relative":         {world.Source{Path: "x"}, "absolute"},
		"line end":         {world.Source{URL: "https://a/\nb"}, "no address"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			unopened(t).fails(world.OpenRequest{Source: &test.src}, contract.ErrInvalid, test.says)
			if _, err := os.Lstat(marker); err == nil {
				t.Error("a command was run")
			}
		})
	}
	t.Run("password", func(t *testing.T) {
		t.Parallel()
		b := unopened(t)
		src := &world.Source{URL: "https://user:s3cret@127.0.0.1:1/x"}
		var log strings.Builder
		_, err := b.store.Open(t.Context(), b.request(world.OpenRequest{Source: src}), func(l world.LogLine) { log.Write(l.Line) })
		if err == nil || strings.Contains(err.Error()+log.String(), "s3cret") {
			t.Errorf("%v\n%s", err, log.String())
		}
	})
}

func TestCloneEmpty(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	gitIn(t, dir, "init", "-q", "--bare", "-b", "trunk")
	b := unopened(t)
	if opened := b.open(world.OpenRequest{Source: &world.Source{Path: dir}}); !opened.Fresh || opened.Commit != "" {
		t.Errorf("%+v", opened)
	}
	b.agrees(b.snapshot("base").Commit)
	if got := b.git("branch", "--show-current"); got != "trunk" {
		t.Errorf("on %q", got)
	}
}

// A clone that is cut off leaves no workspace, and what an earlier one left in a
// crash is in nobody's way.
func TestCloneInterrupted(t *testing.T) {
	t.Parallel()
	dir, _ := upstream(t)
	b := unopened(t)
	writeFiles(t, b.root, map[string]string{".ws.crucible-partial/.git/half": "x"})
	ctx, cancel := context.WithCancel(t.Context())
	_, err := b.store.Open(ctx, b.request(world.OpenRequest{Source: &world.Source{Path: dir}}), func(world.LogLine) { cancel() })
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("open: %v", err)
	}
	if _, err := os.Lstat(b.dir); err == nil {
		t.Error("a workspace was left")
	}
	if !b.open(world.OpenRequest{Source: &world.Source{Path: dir}}).Fresh {
		t.Error("not fresh")
	}
	if _, err := os.Lstat(filepath.Join(b.root, ".ws.crucible-partial")); err == nil {
		t.Error("the partial clone was left")
	}
}

// An empty directory counts as missing when there is something to clone.
func TestCloneIntoEmptyDirectory(t *testing.T) {
	t.Parallel()
	dir, _ := upstream(t)
	b := unopened(t)
	mkdir(t, b.dir)
	if !b.open(world.OpenRequest{Source: &world.Source{Path: dir}}).Fresh {
		t.Error("not fresh")
	}
	other := unopened(t)
	other.write(map[string]string{"mine": "x"})
	if other.open(world.OpenRequest{Source: &world.Source{Path: dir}}).Fresh {
		t.Error("an existing workspace was replaced")
	}
	other.check(map[string]string{"mine": "file x"})
}

func TestSetupCommand(t *testing.T) {
	t.Parallel()
	t.Run("makes it", func(t *testing.T) {
		t.Parallel()
		b := unopened(t)
		var log []string
		req := b.request(world.OpenRequest{
			Commands: world.Commands{Setup: `pwd; echo $WHO >&2; mkdir -p ws/sub && echo "$WHO" >ws/sub/f`},
			Env:      []world.EnvVar{{Name: "WHO", Value: "me"}},
		})
		opened, err := b.store.Open(t.Context(), req, func(l world.LogLine) { log = append(log, string(l.Line)) })
		must(t, err)
		if !opened.Fresh || opened.Commit != "" {
			t.Errorf("%+v", opened)
		}
		if got := strings.Join(log, "\n"); !strings.Contains(got, b.root) || !strings.Contains(got, "me") {
			t.Errorf("log %q", got)
		}
		b.id = opened.WorldID
		b.agrees(b.snapshot("base").Commit)
		b.check(map[string]string{"sub/f": "file me\n"})
	})
	for name, test := range map[string]struct{ command, says string }{
		"fails":         {"mkdir ws && touch ws/half; chmod 0 ws/half; exit 3", "exit status 3"},
		"makes nothing": {"true", "without making the workspace"},
		"makes a file":  {"touch ws", "without making the workspace"},
		"takes long":    {"mkdir ws; sleep 1000 & sleep 1000", "setup_timeout"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			req := world.OpenRequest{Commands: world.Commands{Setup: test.command, SetupTimeout: 300 * time.Millisecond}}
			if name != "takes long" {
				req.Commands.SetupTimeout = 0
			}
			unopened(t).fails(req, contract.ErrInvalid, test.says)
		})
	}
	t.Run("was killed", func(t *testing.T) {
		t.Parallel()
		b := unopened(t)
		b.open(world.OpenRequest{Commands: world.Commands{Setup: "mkdir ws"}})
		b.close()
		// What a setup leaves that is killed together with the engine.
		dirs, err := filepath.Glob(filepath.Join(b.root, "scratch", "*"))
		must(t, err)
		writeFiles(t, dirs[0], map[string]string{"making": ""})
		b.write(map[string]string{"half": "made"})
		opened := b.open(world.OpenRequest{Commands: world.Commands{Setup: "mkdir ws; echo whole >ws/f"}})
		if !opened.Fresh {
			t.Error("not fresh")
		}
		b.check(map[string]string{"f": "file whole\n"})
		if aside, _ := filepath.Glob(b.dir + ".half-made-*/ws/half"); len(aside) != 1 {
			t.Error("what the interrupted setup left was not moved aside")
		}
	})
}

func TestOpenExisting(t *testing.T) {
	t.Parallel()
	t.Run("no repository", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, func(dir string) { writeFiles(t, dir, map[string]string{"f": "x"}) })
		b.agrees(b.snapshot("base").Commit)
	})
	t.Run("parent repository", func(t *testing.T) {
		t.Parallel()
		b := unopened(t)
		gitIn(t, b.root, "init", "-q")
		writeFiles(t, b.root, map[string]string{"outer": "x", "ws/f": "y"})
		b.open(world.OpenRequest{})
		b.agrees(b.snapshot("base").Commit)
		b.write(map[string]string{"f": "z"})
		b.snapshot("two")
		if got := gitIn(t, b.root, "status", "--porcelain", "--untracked-files=all", "outer"); got != "?? outer" {
			t.Errorf("the parent repository was touched: %q", got)
		}
		if fails := gitCommand(b.root, "rev-parse", "HEAD").Run() == nil; fails {
			t.Error("the parent repository has a commit")
		}
	})
	t.Run("repository without commits", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, func(dir string) { gitIn(t, dir, "init", "-q", "-b", "dev") })
		b.agrees(b.snapshot("base").Commit)
		if got := b.git("branch", "--show-current"); got != "dev" {
			t.Errorf("on %q", got)
		}
	})
	t.Run("detached HEAD", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, func(dir string) {
			gitIn(t, dir, "init", "-q")
			writeFiles(t, dir, map[string]string{"f": "x"})
			gitIn(t, dir, "add", "-A")
			gitIn(t, dir, "commit", "-qm", "one")
			gitIn(t, dir, "checkout", "-q", "--detach")
		})
		b.write(map[string]string{"f": "y"})
		b.agrees(b.snapshot("base").Commit)
		if got := b.git("branch", "--show-current"); got != "" {
			t.Errorf("on %q", got)
		}
	})
	t.Run("sha256", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, func(dir string) {
			gitIn(t, dir, "init", "-q", "--object-format=sha256")
			writeFiles(t, dir, map[string]string{"f": "x"})
			gitIn(t, dir, "add", "-A")
			gitIn(t, dir, "commit", "-qm", "one")
		})
		base := b.snapshot("base")
		b.write(map[string]string{"f": "y", "g": "z"})
		if two := b.snapshot("two"); len(two.Token) != 64 {
			t.Errorf("token %s", two.Token)
		}
		b.restore(base.Token)
		b.check(map[string]string{"f": "file x"})
		b.agrees(base.Commit)
	})
	t.Run("packed references and names", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, func(dir string) {
			gitIn(t, dir, "init", "-q")
			gitIn(t, dir, "config", "user.name", "Some <Body>\t")
			gitIn(t, dir, "config", "user.email", "some@body")
			writeFiles(t, dir, map[string]string{"f": "x"})
			gitIn(t, dir, "add", "-A")
			gitIn(t, dir, "commit", "-qm", "one")
			gitIn(t, dir, "pack-refs", "--all")
		})
		b.write(map[string]string{"f": "y"})
		b.agrees(b.snapshot("base").Commit)
		if got := b.git("log", "-1", "--format=%an|%ae"); got != "Some Body|some@body" {
			t.Error(got)
		}
	})
	t.Run("tracked although ignored", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, func(dir string) {
			gitIn(t, dir, "init", "-q")
			writeFiles(t, dir, map[string]string{".gitignore": "dist\n", "dist/x": "built", "dist2": "x"})
			gitIn(t, dir, "add", "-f", "-A")
			gitIn(t, dir, "commit", "-qm", "one")
		})
		base := b.snapshot("base")
		if base.Changed {
			t.Errorf("%+v", base)
		}
		b.write(map[string]string{"dist/x": "changed"})
		b.restore(base.Token)
		if got := files(t, b.dir)["dist/x"]; got != "file built" {
			t.Error(got)
		}
	})
	t.Run("line endings and filters", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, func(dir string) {
			gitIn(t, dir, "init", "-q")
			writeFiles(t, dir, map[string]string{".gitattributes": "* text=auto eol=lf\n*.big filter=lfs\n", "a": "crlf\r\n", "b.big": "large"})
		})
		want := files(t, b.dir)
		base := b.snapshot("base")
		b.write(map[string]string{"a": "x", "b.big": "x"})
		b.restore(base.Token)
		b.check(want)
	})
	t.Run("owned by somebody else", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, func(dir string) {
			gitIn(t, dir, "init", "-q")
			writeFiles(t, dir, map[string]string{"f": "x"})
			gitIn(t, dir, "add", "-A")
			gitIn(t, dir, "commit", "-qm", "one")
			if os.Geteuid() == 0 { // nobody else can give files away
				must(t, filepath.WalkDir(dir, func(p string, _ os.DirEntry, err error) error {
					return errors.Join(err, os.Lchown(p, 65534, 65534))
				}))
			}
		})
		base := b.snapshot("base")
		b.write(map[string]string{"f": "y"})
		b.snapshot("two")
		b.restore(base.Token)
		b.agrees(base.Commit)
	})
	t.Run("through a link", func(t *testing.T) {
		t.Parallel()
		b := unopened(t)
		writeFiles(t, b.root, map[string]string{"real/f": "x"})
		must(t, os.Symlink("real", b.dir))
		b.open(world.OpenRequest{})
		b.agrees(b.snapshot("base").Commit)
	})
}

func TestOpenLinkedWorktree(t *testing.T) {
	t.Parallel()
	b := unopened(t)
	main := filepath.Join(b.root, "main")
	writeFiles(t, main, map[string]string{"f": "x"})
	gitIn(t, main, "init", "-q", "-b", "main")
	gitIn(t, main, "add", "-A")
	gitIn(t, main, "commit", "-qm", "one")
	gitIn(t, main, "worktree", "add", "-q", "-b", "side", b.dir)
	b.open(world.OpenRequest{})
	base := b.snapshot("base")
	b.write(map[string]string{"f": "y"})
	two := b.snapshot("two")
	b.agrees(two.Commit)
	if got := gitIn(t, main, "rev-parse", "side"); got != two.Commit {
		t.Errorf("side is %s", got)
	}
	if got := gitIn(t, main, "status", "--porcelain"); got != "" {
		t.Errorf("the main worktree: %q", got)
	}
	put(t, b.path(".git"), "gitdir: /elsewhere\n")
	b.restore(base.Token)
	b.agrees(base.Commit)
}

func TestOpenSubmodules(t *testing.T) {
	t.Parallel()
	lib := t.TempDir()
	gitIn(t, lib, "init", "-q")
	writeFiles(t, lib, map[string]string{"lib": "1"})
	gitIn(t, lib, "add", "-A")
	gitIn(t, lib, "commit", "-qm", "lib")
	up := t.TempDir()
	gitIn(t, up, "init", "-q")
	gitIn(t, up, "submodule", "--quiet", "add", lib, "third/lib")
	gitIn(t, up, "commit", "-qm", "with a submodule")

	t.Run("empty", func(t *testing.T) {
		t.Parallel()
		b := unopened(t)
		b.open(world.OpenRequest{Source: &world.Source{Path: up}})
		base := b.snapshot("base")
		if base.Changed {
			t.Errorf("%+v", base)
		}
		// Files put there are a change like any other, and are undone.
		b.write(map[string]string{"third/lib/new": "x"})
		want := files(t, b.dir)
		if _, d := b.diff(base.Token, 0); d.Shortstat == "" {
			t.Error("the change was not seen")
		}
		two := b.snapshot("two")
		if !two.Changed {
			t.Error("the change was not recorded")
		}
		b.restore(base.Token)
		if got := files(t, b.path("third")); len(got) != 0 {
			t.Errorf("left: %v", got)
		}
		b.agrees(base.Commit)
		b.write(map[string]string{"third/lib/other": "x"})
		b.restore(base.Token)
		if got := files(t, b.path("third")); len(got) != 0 {
			t.Errorf("left: %v", got)
		}
		b.restore(two.Token)
		b.check(want)
	})
	t.Run("filled", func(t *testing.T) {
		t.Parallel()
		b := unopened(t)
		gitIn(t, b.root, "clone", "-q", "--recurse-submodules", up, b.dir)
		var log []string
		opened, err := b.store.Open(t.Context(), b.request(world.OpenRequest{}), func(l world.LogLine) { log = append(log, string(l.Line)) })
		must(t, err)
		b.id = opened.WorldID
		if len(log) != 1 || !strings.Contains(log[0], "submodule third/lib") {
			t.Errorf("log: %q", log)
		}
		base := b.snapshot("base")
		b.write(map[string]string{"third/lib/lib": "2", "f": "x"})
		b.restore(base.Token)
		if diff := cmp.Diff("file 2", files(t, b.dir)["third/lib/lib"]); diff != "" {
			t.Errorf("the submodule's files are not the memory's: %s", diff)
		}
		// The submodule itself may be the workspace of another world.
		inner := &bench{t: t, root: b.root, dir: b.path("third/lib"), store: b.store}
		inner.open(world.OpenRequest{})
		inner.agrees(inner.snapshot("inner").Commit)
	})
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	elsewhere := t.TempDir()
	gitIn(t, elsewhere, "init", "-q")
	tests := map[string]struct {
		prepare func(t *testing.T, b *bench)
		req     world.OpenRequest
		kind    error
		says    string
	}{
		"attach to nothing": {nil, world.OpenRequest{Attach: true}, contract.ErrNotFound, "attach"},
		"a file":            {func(t *testing.T, b *bench) { put(t, b.dir, "x") }, world.OpenRequest{}, contract.ErrInvalid, "not a directory"},
		"a dead link":       {func(t *testing.T, b *bench) { relink(t, "nowhere", b.dir) }, world.OpenRequest{}, contract.ErrInvalid, "leads nowhere"},
		"foreign git file": {func(t *testing.T, b *bench) {
			writeFiles(t, b.dir, map[string]string{".git": "gitdir: " + elsewhere + "/.git\n"})
		}, world.OpenRequest{}, contract.ErrInvalid, "does not belong"},
		"git is a link": {func(t *testing.T, b *bench) { mkdir(t, b.dir); relink(t, elsewhere+"/.git", b.path(".git")) }, world.OpenRequest{}, contract.ErrInvalid, "neither a directory nor a file"},
		"other files":   {func(t *testing.T, b *bench) { repo(t, b, "core.worktree", "/") }, world.OpenRequest{}, contract.ErrInvalid, "core.worktree"},
		"bare":          {func(t *testing.T, b *bench) { repo(t, b, "core.bare", "true") }, world.OpenRequest{}, contract.ErrInvalid, "bare"},
		"sparse":        {func(t *testing.T, b *bench) { repo(t, b, "core.sparseCheckout", "true") }, world.OpenRequest{}, contract.ErrInvalid, "sparse-checkout disable"},
		"reftable":      {func(t *testing.T, b *bench) { repo(t, b, "extensions.refStorage", "reftable") }, world.OpenRequest{}, contract.ErrInvalid, "refs migrate"},
		"bad config":    {func(t *testing.T, b *bench) { repo(t, b, "a.b", "c"); put(t, b.path(".git/config"), "[[") }, world.OpenRequest{}, contract.ErrInvalid, "config"},
		"bad HEAD":      {func(t *testing.T, b *bench) { repo(t, b, "a.b", "c"); put(t, b.path(".git/HEAD"), "x") }, world.OpenRequest{}, contract.ErrInvalid, "HEAD"},
		"lost commit": {func(t *testing.T, b *bench) {
			repo(t, b, "a.b", "c")
			put(t, b.path(".git/HEAD"), strings.Repeat("ab", 20))
		}, world.OpenRequest{}, contract.ErrInvalid, "does not have the commit"},
		"exclude leads out": {nil, world.OpenRequest{Exclude: []string{"../x"}}, contract.ErrInvalid, "no path inside"},
		"unwritable place":  {func(t *testing.T, b *bench) { put(t, b.root+"/f", ""); b.dir = b.root + "/f/ws" }, world.OpenRequest{}, contract.ErrInvalid, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := unopened(t)
			if test.prepare != nil {
				test.prepare(t, b)
			}
			_, err := b.store.Open(t.Context(), b.request(test.req), nil)
			if !errors.Is(err, test.kind) || !strings.Contains(err.Error(), test.says) {
				t.Errorf("open: %v, want %v: %s", err, test.kind, test.says)
			}
		})
	}
}

// repo makes the workspace a repository with a setting.
func repo(t *testing.T, b *bench, key, value string) {
	t.Helper()
	mkdir(t, b.dir)
	gitIn(t, b.dir, "init", "-q")
	gitIn(t, b.dir, "config", key, value)
}
