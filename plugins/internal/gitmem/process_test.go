package gitmem_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/crucible-engine/crucible/plugins/internal/gitmem"
	"github.com/crucible-engine/crucible/sdk/contract"
	"github.com/crucible-engine/crucible/sdk/world"
)

// victimEnv makes the test binary a process that works in a world until it is
// killed.
const victimEnv = "GITMEM_TEST_VICTIM"

// victim changes, records and restores a workspace without end, and says what
// each recorded state has in its file n.
func victim(root string) {
	fail := func(err error) {
		if err != nil {
			fmt.Println("error", err)
			os.Exit(1)
		}
	}
	ctx := context.Background()
	store, err := gitmem.NewStore(filepath.Join(root, "scratch"))
	fail(err)
	dir := filepath.Join(root, "ws")
	opened, err := store.Open(ctx, world.OpenRequest{Workspace: dir, ManifestDir: root, Attach: true}, nil)
	fail(err)
	var tokens []string
	for i := 0; ; i++ {
		n := fmt.Sprint(os.Getpid(), " ", i)
		fail(os.WriteFile(filepath.Join(dir, "n"), []byte(n), 0o644))
		fail(os.WriteFile(filepath.Join(dir, fmt.Sprint("extra", i%7)), bytes.Repeat([]byte(n), 1000), 0o644))
		snap, err := store.Snapshot(ctx, opened.WorldID, world.SnapshotRequest{Label: n})
		fail(err)
		fmt.Println("state", snap.Token, n)
		tokens = append(tokens, snap.Token)
		if i%3 == 2 {
			_, err := store.Restore(ctx, opened.WorldID, tokens[rand.IntN(len(tokens))])
			fail(err)
		}
	}
}

// Killed at any moment, a memory has every state that it said it recorded.
func TestKilled(t *testing.T) {
	t.Parallel()
	b := newBench(t, func(dir string) { writeFiles(t, dir, map[string]string{"a": "1", "n": "0"}) })
	states := map[string]string{b.snapshot("base").Token: "0"}
	b.close()
	exe, err := os.Executable()
	must(t, err)
	for round := range 12 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(60+rand.IntN(400))*time.Millisecond)
		c := exec.CommandContext(ctx, exe) // SIGKILL when the time is over
		c.Env = append(os.Environ(), victimEnv+"="+b.root)
		var out bytes.Buffer
		c.Stdout = &out
		_ = c.Run()
		cancel()
		for lines := bufio.NewScanner(&out); lines.Scan(); {
			f := strings.SplitN(lines.Text(), " ", 3)
			if len(f) == 3 && f[0] == "state" {
				states[f[1]] = f[2]
			} else if f[0] == "error" {
				t.Fatalf("round %d: %s", round, lines.Text())
			}
		}
		opened := b.reopen(world.OpenRequest{Attach: round%2 == 0})
		if opened.Commit == "" {
			t.Error("the tip was lost")
		}
		for token, n := range states {
			b.restore(token)
			if got := files(t, b.dir)["n"]; got != "file "+n {
				t.Fatalf("round %d: state %s has %q, want %q", round, token, got, n)
			}
			b.agrees(token)
			if round < 11 {
				break // one of them; all in the end
			}
		}
		b.close()
	}
	t.Logf("%d states", len(states))
}

// A call that is cancelled leaves nothing that keeps the next one from working.
func TestCancelled(t *testing.T) {
	t.Parallel()
	b, token, want := kept(t)
	for i := range 25 {
		b.write(map[string]string{"a": fmt.Sprint("change ", i), "b/c": strings.Repeat("x", 100_000)})
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i)*time.Millisecond)
		var err error
		switch i % 3 {
		case 0:
			_, err = b.store.Snapshot(ctx, b.id, world.SnapshotRequest{Label: "x"})
		case 1:
			_, err = b.store.Restore(ctx, b.id, token)
		default:
			_, err = b.store.Diff(ctx, b.id, token, 0, &bytes.Buffer{})
		}
		cancel()
		if err != nil && !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("cancelled after %d ms: %v", i, err)
		}
	}
	b.restore(token)
	b.check(want)
	b.agrees(token)
}

// Only one writing call at a time; looks wait for their turn.
func TestConflict(t *testing.T) {
	t.Parallel()
	b, token, want := kept(t)
	b.write(map[string]string{"big": strings.Repeat("x", 1<<20)})
	var wg sync.WaitGroup
	var mu sync.Mutex
	var done, refused int
	for range 8 {
		wg.Go(func() {
			_, err := b.store.Restore(t.Context(), b.id, token)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil:
				done++
			case errors.Is(err, contract.ErrConflict):
				refused++
			default:
				t.Errorf("restore: %v", err)
			}
		})
		wg.Go(func() {
			if _, err := b.store.Diff(t.Context(), b.id, token, 0, &bytes.Buffer{}); err != nil {
				t.Errorf("diff: %v", err)
			}
			if _, err := b.store.Read(t.Context(), b.id, token, "a", &bytes.Buffer{}); err != nil {
				t.Errorf("read: %v", err)
			}
		})
	}
	wg.Wait()
	if done == 0 || done+refused != 8 {
		t.Errorf("%d done, %d refused", done, refused)
	}
	b.check(want)
}

func TestOpenTwice(t *testing.T) {
	t.Parallel()
	b, token, _ := kept(t)
	first := b.id
	second := b.open(world.OpenRequest{Exclude: []string{"state"}})
	if second.WorldID != first || second.Commit != token || second.Fresh {
		t.Errorf("%+v", second)
	}
	b.write(map[string]string{"state/x": "x"})
	if _, d := b.diff(token, 0); d.Shortstat != "" {
		t.Errorf("what the second one excludes is seen: %s", d.Shortstat)
	}
	b.close()
	b.restore(token)
	b.close()
	if err := b.store.Close(t.Context(), first); !errors.Is(err, contract.ErrNotFound) {
		t.Errorf("closed too often: %v", err)
	}
	if _, err := b.store.Restore(t.Context(), first, token); !errors.Is(err, contract.ErrNotFound) {
		t.Errorf("restore in a closed world: %v", err)
	}
}

// A second process is refused, not let in.
func TestOtherProcess(t *testing.T) {
	t.Parallel()
	b, _, _ := kept(t)
	other := newStore(t, filepath.Join(b.root, "scratch"))
	begun := time.Now()
	_, err := other.Open(t.Context(), b.request(world.OpenRequest{Attach: true}), nil)
	if !errors.Is(err, contract.ErrConflict) || time.Since(begun) > 20*time.Second {
		t.Errorf("open: %v after %v", err, time.Since(begun))
	}
}

// When the memory's own directory is lost, an attached world finds a state in
// the workspace's repository; but not one that was tampered with.
func TestScratchLost(t *testing.T) {
	t.Parallel()
	b, token, want := kept(t)
	b.write(map[string]string{"a": "later\n"})
	later := b.snapshot("later").Token
	lose := func() {
		must(t, b.store.CloseAll(t.Context()))
		must(t, os.RemoveAll(filepath.Join(b.root, "scratch")))
		b.store = newStore(t, filepath.Join(b.root, "scratch"))
		b.open(world.OpenRequest{Attach: true})
	}
	lose()
	var text bytes.Buffer
	if _, err := b.store.Read(t.Context(), b.id, token, "a", &text); err != nil || text.String() != "better\n" {
		t.Fatalf("read: %q %v", text.String(), err)
	}
	b.restore(token)
	b.check(want)
	b.restore(later)

	// An object with another content under the old name.
	name := b.git("rev-parse", token+":a")
	fake := b.git("hash-object", "-w", "--stdin", "--path=x")
	object := func(id string) string { return b.path(".git/objects/" + id[:2] + "/" + id[2:]) }
	data, err := os.ReadFile(object(fake))
	must(t, err)
	put(t, object(name), string(data))
	lose()
	text.Reset()
	_, err = b.store.Read(t.Context(), b.id, token, "a", &text)
	if !errors.Is(err, contract.ErrNotFound) {
		t.Errorf("read of a state that was tampered with: %q %v", text.String(), err)
	}
}

// After a crash the workspace is opened as it is; only a repository that cannot
// be used any more is made again, and what the agent configured last is gone.
func TestOpenAfterCrash(t *testing.T) {
	t.Parallel()
	for name, agent := range map[string]func(t *testing.T, b *bench){
		"git deleted":   func(t *testing.T, b *bench) { must(t, os.RemoveAll(b.path(".git"))) },
		"git is a link": func(t *testing.T, b *bench) { must(t, os.RemoveAll(b.path(".git"))); relink(t, "/", b.path(".git")) },
		"bad head":      func(t *testing.T, b *bench) { put(t, b.path(".git/HEAD"), "x") },
		"no objects":    func(t *testing.T, b *bench) { must(t, os.RemoveAll(b.path(".git/objects"))) },
		"bare":          func(t *testing.T, b *bench) { b.git("config", "core.bare", "true") },
		"bad config":    func(t *testing.T, b *bench) { put(t, b.path(".git/config"), "[[") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, token, want := kept(t)
			must(t, b.store.CloseAll(t.Context()))
			records, err := filepath.Glob(filepath.Join(b.root, "scratch", "*", "memory.json"))
			must(t, err)
			text, err := os.ReadFile(records[0])
			must(t, err)
			put(t, records[0], strings.Replace(string(text), `"closed":true`, `"closed":false`, 1))
			b.write(map[string]string{"a": "the agent's\n"})
			agent(t, b)
			b.store = newStore(t, filepath.Join(b.root, "scratch"))
			if opened := b.open(world.OpenRequest{}); opened.Commit != token || opened.Fresh {
				t.Errorf("%+v", opened)
			}
			if got := files(t, b.dir)["a"]; got != "file the agent's\n" {
				t.Errorf("the files were touched: %q", got)
			}
			b.agrees(b.snapshot("next").Commit)
			b.restore(token)
			b.check(want)
			b.agrees(token)
		})
	}
}

// The process's own environment does not reach git.
func TestEnvironment(t *testing.T) {
	root := t.TempDir()
	for name, value := range map[string]string{
		"GIT_DIR": root, "GIT_WORK_TREE": root, "GIT_INDEX_FILE": filepath.Join(root, "i"), "GIT_OBJECT_DIRECTORY": root,
		"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.bare", "GIT_CONFIG_VALUE_0": "true", "GIT_EXTERNAL_DIFF": "false",
		"GIT_CONFIG_PARAMETERS": "'core.bare=true'", "GIT_TRACE": filepath.Join(root, "trace"), "GIT_EXEC_PATH": root,
	} {
		t.Setenv(name, value)
	}
	b := &bench{t: t, root: t.TempDir()}
	b.dir, b.store = filepath.Join(b.root, "ws"), newStore(t, filepath.Join(b.root, "scratch"))
	dir := filepath.Join(t.TempDir(), "src")
	writeFiles(t, dir, map[string]string{"f": "x"})
	source := exec.Command("sh", "-c", `unset $(env | sed -n 's/^\(GIT_[A-Z_0-9]*\)=.*/\1/p'); git init -q && git add -A && git -c user.name=a -c user.email=b commit -qm x`)
	source.Dir = dir
	if out, err := source.CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	b.open(world.OpenRequest{Source: &world.Source{Path: dir}})
	base := b.snapshot("base")
	b.write(map[string]string{"f": "y", "g": "z"})
	b.diff(base.Token, 0)
	b.snapshot("two")
	b.restore(base.Token)
	if diff := cmp.Diff(map[string]string{"f": "file x"}, files(t, b.dir)); diff != "" {
		t.Error(diff)
	}
	if entries, _ := os.ReadDir(root); len(entries) != 0 {
		t.Errorf("written: %v", entries)
	}
}
