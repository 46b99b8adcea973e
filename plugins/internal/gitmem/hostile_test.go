package gitmem_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/crucible-engine/crucible/sdk/contract"
	"github.com/crucible-engine/crucible/sdk/world"
)

// kept is a workspace with an original commit, a base and a kept state that is
// the tip.
func kept(t *testing.T) (b *bench, token string, want map[string]string) {
	t.Helper()
	b = newBench(t, func(dir string) {
		gitIn(t, dir, "init", "-q", "-b", "main")
		writeFiles(t, dir, map[string]string{"a": "one\n", "dir/b": "two\n", "dir/c": "three\n", ".gitignore": "ignored\n*.o\n", "run.sh": "#!/bin/sh\n"})
		must(t, os.Chmod(filepath.Join(dir, "run.sh"), 0o755))
		gitIn(t, dir, "add", "-A")
		gitIn(t, dir, "commit", "-q", "-m", "original")
	})
	b.write(map[string]string{"injected": "i\n"})
	b.snapshot("base")
	b.write(map[string]string{"a": "better\n", "new/file": "n\n"})
	must(t, os.Symlink("a", b.path("link")))
	return b, b.snapshot("kept").Token, files(t, b.dir)
}

// agents are things that an agent that got hold of the workspace and its
// repository may do. A program of its own would make the file marker.
func agents(marker string) map[string]func(t *testing.T, b *bench) {
	run := "touch " + marker + "; cat"
	return map[string]func(t *testing.T, b *bench){
		"edits": func(t *testing.T, b *bench) {
			b.write(map[string]string{"a": "x", "other": "y", "dir/new/z": "z"})
			must(t, os.Remove(b.path("dir/b")))
		},
		"commits": func(t *testing.T, b *bench) {
			b.write(map[string]string{"a": "x"})
			b.git("commit", "-qam", "mine")
		},
		"branches": func(t *testing.T, b *bench) {
			b.git("checkout", "-q", "-b", "other")
			b.write(map[string]string{"a": "x"})
			b.git("commit", "-qam", "mine")
			b.git("branch", "-D", "main")
		},
		"branch in the way": func(t *testing.T, b *bench) {
			b.git("checkout", "-q", "--detach")
			b.git("branch", "-D", "main")
			b.git("branch", "main/sub")
			b.git("checkout", "-q", "main/sub")
		},
		"detached":  func(t *testing.T, b *bench) { b.git("checkout", "-q", "--detach", "HEAD~1") },
		"orphan":    func(t *testing.T, b *bench) { b.git("checkout", "-q", "--orphan", "fresh"); b.git("rm", "-rfq", ".") },
		"reset":     func(t *testing.T, b *bench) { b.git("reset", "-q", "--hard", "HEAD~2") },
		"bad head":  func(t *testing.T, b *bench) { put(t, b.path(".git/HEAD"), "garbage") },
		"head link": func(t *testing.T, b *bench) { relink(t, "/etc/passwd", b.path(".git/HEAD")) },
		"head pipe": func(t *testing.T, b *bench) { repipe(t, b.path(".git/HEAD")) },
		"merge in progress": func(t *testing.T, b *bench) {
			b.git("checkout", "-q", "-b", "x", "HEAD~1")
			b.write(map[string]string{"a": "conflict\n"})
			b.git("commit", "-qam", "x")
			fails(t, b.dir, "merge", "main")
		},
		"rebase in progress": func(t *testing.T, b *bench) {
			b.git("checkout", "-q", "-b", "x", "HEAD~1")
			b.write(map[string]string{"a": "conflict\n"})
			b.git("commit", "-qam", "x")
			fails(t, b.dir, "rebase", "main")
		},
		"bisect":        func(t *testing.T, b *bench) { b.git("bisect", "start", "HEAD", "HEAD~2") },
		"index lock":    func(t *testing.T, b *bench) { put(t, b.path(".git/index.lock"), "") },
		"index garbage": func(t *testing.T, b *bench) { put(t, b.path(".git/index"), "DIRC garbage") },
		"index is dir": func(t *testing.T, b *bench) {
			must(t, os.Remove(b.path(".git/index")))
			mkdir(t, b.path(".git/index/x"))
		},
		"assume unchanged": func(t *testing.T, b *bench) {
			b.git("update-index", "--assume-unchanged", "a")
			b.git("update-index", "--skip-worktree", "dir/b")
			b.write(map[string]string{"a": "x", "dir/b": "y"})
		},
		"sparse checkout": func(t *testing.T, b *bench) { b.git("sparse-checkout", "set", "dir") },
		"file mode off": func(t *testing.T, b *bench) {
			b.git("config", "core.fileMode", "false")
			must(t, os.Chmod(b.path("a"), 0o755))
			must(t, os.Chmod(b.path("run.sh"), 0o644))
		},
		"gc": func(t *testing.T, b *bench) {
			b.git("checkout", "-q", "--orphan", "fresh")
			b.git("commit", "-q", "--allow-empty", "-m", "x")
			b.git("branch", "-D", "main")
			for _, ref := range strings.Fields(b.git("for-each-ref", "--format=%(refname)", "refs/crucible")) {
				b.git("update-ref", "-d", ref)
			}
			b.git("reflog", "expire", "--expire=now", "--all")
			b.git("gc", "-q", "--prune=now")
		},
		"gc, innocent":    func(t *testing.T, b *bench) { b.git("gc", "-q", "--prune=now") },
		"objects deleted": func(t *testing.T, b *bench) { must(t, os.RemoveAll(b.path(".git/objects"))) },
		"objects link": func(t *testing.T, b *bench) {
			must(t, os.RemoveAll(b.path(".git/objects")))
			relink(t, t.TempDir(), b.path(".git/objects"))
		},
		"git deleted": func(t *testing.T, b *bench) { must(t, os.RemoveAll(b.path(".git"))) },
		"git is a file": func(t *testing.T, b *bench) {
			must(t, os.RemoveAll(b.path(".git")))
			put(t, b.path(".git"), "gitdir: /tmp/elsewhere\n")
		},
		"git is a link": func(t *testing.T, b *bench) {
			other := t.TempDir()
			gitIn(t, other, "init", "-q")
			must(t, os.RemoveAll(b.path(".git")))
			relink(t, filepath.Join(other, ".git"), b.path(".git"))
		},
		"git is another": func(t *testing.T, b *bench) {
			must(t, os.RemoveAll(b.path(".git")))
			b.git("init", "-q")
			b.git("add", "-A")
			b.git("commit", "-qm", "mine")
		},
		"refs are links": func(t *testing.T, b *bench) {
			must(t, os.RemoveAll(b.path(".git/refs")))
			relink(t, t.TempDir(), b.path(".git/refs"))
		},
		"replace refs": func(t *testing.T, b *bench) {
			b.write(map[string]string{"a": "replaced\n"})
			b.git("commit", "-qam", "x")
			b.git("replace", "HEAD~1", "HEAD")
		},
		"grafts and shallow": func(t *testing.T, b *bench) {
			put(t, b.path(".git/info/grafts"), b.git("rev-parse", "HEAD")+"\n")
			put(t, b.path(".git/shallow"), b.git("rev-parse", "HEAD")+"\n")
		},
		"alternates": func(t *testing.T, b *bench) { put(t, b.path(".git/objects/info/alternates"), t.TempDir()+"\n") },
		"hooks": func(t *testing.T, b *bench) {
			for _, h := range []string{"pre-commit", "post-checkout", "post-index-change", "reference-transaction", "post-commit", "pre-auto-gc"} {
				script(t, b.path(".git/hooks/"+h), run)
			}
		},
		"configuration": func(t *testing.T, b *bench) {
			put(t, b.path(".git/config"), strings.Join([]string{
				"[core]", "repositoryformatversion = 0", "bare = true", "worktree = /", "fsmonitor = " + run, "hooksPath = /tmp",
				"sshCommand = " + run, "pager = " + run, "editor = " + run, "attributesFile = /etc/passwd", "excludesFile = /etc/passwd",
				"[filter \"evil\"]", "clean = " + run, "smudge = " + run, "process = " + run, "required = true",
				"[diff \"evil\"]", "command = " + run, "textconv = " + run, "[merge \"evil\"]", "driver = " + run,
				"[commit]", "gpgSign = true", "template = /nowhere", "[gpg]", "program = " + run, "[include]", "path = /nowhere",
				"[alias]", "add = !" + run, "[diff]", "external = " + run, "[extensions]", "objectFormat = sha256", "[core]", "alternateRefsCommand = " + run,
			}, "\n"))
			put(t, b.path(".gitattributes"), "* filter=evil diff=evil merge=evil text eol=crlf ident working-tree-encoding=UTF-16\n")
			put(t, b.path(".git/info/attributes"), "* filter=evil diff=evil\n")
			b.write(map[string]string{"a": "x\n", "y": "$Id$\n"})
		},
		"config is dir": func(t *testing.T, b *bench) {
			must(t, os.Remove(b.path(".git/config")))
			mkdir(t, b.path(".git/config/x"))
		},
		"gitmodules": func(t *testing.T, b *bench) {
			put(t, b.path(".gitmodules"), "[submodule \"x\"]\n\tpath = x\n\turl = ext::sh -c "+run+"\n\tupdate = !"+run+"\n")
		},
		"gitmodules garbage": func(t *testing.T, b *bench) { put(t, b.path(".gitmodules"), "[[[garbage") },
		"attributes garbage": func(t *testing.T, b *bench) {
			put(t, b.path(".gitattributes"), "[attr]binary text\n\"\x00\xff\n[attr\n* binary\n")
		},
		"file becomes dir": func(t *testing.T, b *bench) {
			must(t, os.Remove(b.path("a")))
			b.write(map[string]string{"a/b/c": "x"})
		},
		"dir becomes file": func(t *testing.T, b *bench) {
			must(t, os.RemoveAll(b.path("dir")))
			b.write(map[string]string{"dir": "x"})
		},
		"file becomes link": func(t *testing.T, b *bench) { relink(t, "run.sh", b.path("a")) },
		"link becomes file": func(t *testing.T, b *bench) {
			must(t, os.Remove(b.path("link")))
			b.write(map[string]string{"link": "better\n"})
		},
		"dir moved, link to it": func(t *testing.T, b *bench) {
			must(t, os.Rename(b.path("dir"), b.path("moved")))
			relink(t, "moved", b.path("dir"))
		},
		"dir moved to an ignored place": func(t *testing.T, b *bench) {
			must(t, os.Rename(b.path("dir"), b.path("x.o")))
			relink(t, "x.o", b.path("dir"))
			must(t, os.RemoveAll(b.path("x.o"))) // what is ignored stays; keep the comparison simple
		},
		"link out of the workspace": func(t *testing.T, b *bench) {
			out := t.TempDir()
			writeFiles(t, out, map[string]string{"b": "two\n", "c": "three\n"})
			must(t, os.RemoveAll(b.path("dir")))
			relink(t, out, b.path("dir"))
			t.Cleanup(func() {
				if got := files(t, out); len(got) != 2 {
					t.Errorf("files outside the workspace were touched: %v", got)
				}
			})
		},
		"hard links": func(t *testing.T, b *bench) {
			must(t, os.Remove(b.path("dir/b")))
			must(t, os.Link(b.path("a"), b.path("dir/b")))
		},
		"same length": func(t *testing.T, b *bench) { sameTimes(t, b.path("a"), "BETTER\n") },
		"swapped": func(t *testing.T, b *bench) {
			must(t, os.Rename(b.path("dir/b"), b.path("t")))
			must(t, os.Rename(b.path("dir/c"), b.path("dir/b")))
			must(t, os.Rename(b.path("t"), b.path("dir/c")))
		},
		"read-only files": func(t *testing.T, b *bench) {
			b.write(map[string]string{"a": "x", "ro/x/y": "z"})
			for _, p := range []string{"a", "ro/x/y", "ro/x", "ro", "dir"} {
				must(t, os.Chmod(b.path(p), 0o444))
			}
		},
		"no rights at all": func(t *testing.T, b *bench) {
			b.write(map[string]string{"zero/x/y": "z"})
			for _, p := range []string{"a", "zero/x/y", "zero/x", "zero", "dir"} {
				must(t, os.Chmod(b.path(p), 0))
			}
		},
		"nested repository": func(t *testing.T, b *bench) {
			mkdir(t, b.path("vendor/lib"))
			gitIn(t, b.path("vendor/lib"), "init", "-q")
			b.write(map[string]string{"vendor/lib/f": "x"})
			gitIn(t, b.path("vendor/lib"), "add", "-A")
			gitIn(t, b.path("vendor/lib"), "commit", "-qm", "x")
		},
		"nested repository in a tracked directory": func(t *testing.T, b *bench) { gitIn(t, b.path("dir"), "init", "-q") },
		"worktree": func(t *testing.T, b *bench) { b.git("worktree", "add", "-q", "wt") },
		"pipes and sockets": func(t *testing.T, b *bench) {
			must(t, syscall.Mkfifo(b.path("pipe"), 0o600))
			must(t, syscall.Mkfifo(b.path("dir/pipe"), 0o600))
			repipe(t, b.path("a"))
		},
		"pipe that git reads": func(t *testing.T, b *bench) {
			repipe(t, b.path(".gitignore"))
			repipe(t, b.path("dir/.gitignore"))
			repipe(t, b.path(".gitattributes"))
			repipe(t, b.path(".gitmodules"))
		},
		"file that poses as git": func(t *testing.T, b *bench) { b.write(map[string]string{"dir/.GIT/config": "x", "git~1": "y"}) },
		"workspace deleted":      func(t *testing.T, b *bench) { must(t, os.RemoveAll(b.dir)) },
		"workspace is a link": func(t *testing.T, b *bench) {
			other := t.TempDir()
			writeFiles(t, other, map[string]string{"mine": "x"})
			must(t, os.RemoveAll(b.dir))
			relink(t, other, b.dir)
			t.Cleanup(func() {
				if got := files(t, other); len(got) != 1 {
					t.Errorf("the link was followed: %v", got)
				}
			})
		},
		"ignores everything": func(t *testing.T, b *bench) { b.write(map[string]string{".gitignore": "*\n", "hidden": "x"}) },
	}
}

// Whatever the agent did, a restore brings the kept state back, the visible
// repository stands on it, and a later snapshot works.
func TestRestoreWhateverTheAgentDid(t *testing.T) {
	t.Parallel()
	marker := filepath.Join(t.TempDir(), "ran")
	for name, agent := range agents(marker) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, token, want := kept(t)
			agent(t, b)
			// A look at the change may fail with an error of the agent's making; it must
			// not harm what follows.
			_, err := b.store.Diff(t.Context(), b.id, token, 1<<20, &strings.Builder{})
			if err != nil && !errors.Is(err, contract.ErrRefused) && !errors.Is(err, contract.ErrInternal) {
				t.Errorf("diff: %v", err)
			}
			b.restore(token)
			b.check(want)
			b.agrees(token)
			b.write(map[string]string{"a": "next\n"})
			next := b.snapshot("next")
			if !next.Changed {
				t.Error("the next change was not seen")
			}
			b.agrees(next.Commit)
			b.restore(token)
			b.check(want)
			if _, err := os.Lstat(marker); err == nil {
				t.Error("a program of the agent's was run")
			}
		})
	}
}

// Whatever the agent did, a snapshot of it is either refused or brought back as
// it was.
func TestSnapshotWhateverTheAgentDid(t *testing.T) {
	t.Parallel()
	marker := filepath.Join(t.TempDir(), "ran")
	for name, agent := range agents(marker) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, token, want := kept(t)
			agent(t, b)
			snap, err := b.store.Snapshot(t.Context(), b.id, world.SnapshotRequest{Label: "x"})
			if err == nil {
				agrees := b.agrees
				if name == "configuration" || name == "gitmodules" {
					agrees = func(string) {} // git does not like what the agent wrote into these files
				}
				agrees(snap.Commit)
				now := recordable(files(t, b.dir))
				b.restore(token)
				b.check(want)
				b.restore(snap.Token)
				b.check(now)
				agrees(snap.Commit)
			} else if !errors.Is(err, contract.ErrRefused) && !strings.Contains(err.Error(), "workspace is") {
				t.Errorf("snapshot: %v", err)
			}
			b.restore(token)
			b.check(want)
			if name != "gitmodules" {
				b.soundShadow()
			}
			if _, err := os.Lstat(marker); err == nil {
				t.Error("a program of the agent's was run")
			}
		})
	}
}

// recordable leaves out what no state holds: pipes, repositories inside the
// workspace, what is ignored.
func recordable(files map[string]string) map[string]string {
	for p, what := range files {
		if p == "hidden" || strings.HasPrefix(what, "p") || strings.Contains(p, "/.git/") || strings.HasSuffix(p, "/.git") {
			delete(files, p)
		}
	}
	return files
}

func put(t testing.TB, p, text string) {
	t.Helper()
	mkdir(t, filepath.Dir(p))
	_ = os.Remove(p)
	must(t, os.WriteFile(p, []byte(text), 0o644))
}

func script(t testing.TB, p, line string) {
	t.Helper()
	put(t, p, "#!/bin/sh\n"+line+" </dev/null\n")
	must(t, os.Chmod(p, 0o755))
}

func relink(t testing.TB, target, p string) {
	t.Helper()
	_ = os.Remove(p)
	must(t, os.Symlink(target, p))
}

func repipe(t testing.TB, p string) {
	t.Helper()
	_ = os.Remove(p)
	must(t, syscall.Mkfifo(p, 0o600))
}

// sameTimes changes a file and gives it the time that it had.
func sameTimes(t testing.TB, p, text string) {
	t.Helper()
	info, err := os.Stat(p)
	must(t, err)
	must(t, os.WriteFile(p, []byte(text), 0o644))
	must(t, os.Chtimes(p, info.ModTime(), info.ModTime()))
}

func fails(t testing.TB, dir string, args ...string) {
	t.Helper()
	if err := gitCommand(dir, args...).Run(); err == nil {
		t.Fatalf("git %v did not fail", args)
	}
}

func TestForeignToken(t *testing.T) {
	t.Parallel()
	b, token, _ := kept(t)
	other := newBench(t, nil)
	other.write(map[string]string{"z": "z"})
	foreign := other.snapshot("x").Token
	b.write(map[string]string{"a": "mine\n"})
	b.git("commit", "-qam", "mine")
	for name, tok := range map[string]string{
		"other world": foreign, "agent's commit": b.git("rev-parse", "HEAD"), "empty": "", "option": "--all", "branch": "main",
		"short": token[:10], "upper": strings.ToUpper(token), "path": "../../" + token, "spec": token + "^",
	} {
		if _, err := b.store.Restore(t.Context(), b.id, tok); !errors.Is(err, contract.ErrNotFound) {
			t.Errorf("restore of %s: %v", name, err)
		}
		if _, err := b.store.Diff(t.Context(), b.id, tok, 0, &strings.Builder{}); !errors.Is(err, contract.ErrNotFound) {
			t.Errorf("diff of %s: %v", name, err)
		}
	}
	if _, err := b.store.Restore(t.Context(), "0123456789abcdef", token); !errors.Is(err, contract.ErrNotFound) {
		t.Errorf("restore in no world: %v", err)
	}
}
