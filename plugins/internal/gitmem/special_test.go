package gitmem_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/crucible-engine/crucible/sdk/world"
)

// plantPipes puts a pipe in the place of every file of the memory's directory
// that match picks.
func (b *bench) plantPipes(match func(rel string) bool) (planted int) {
	b.t.Helper()
	scratch := filepath.Join(b.root, "scratch")
	must(b.t, filepath.WalkDir(scratch, func(p string, d fs.DirEntry, err error) error {
		rel := strings.TrimPrefix(p, scratch)
		if err != nil || !d.Type().IsRegular() || !match(rel) {
			return err
		}
		planted++
		must(b.t, os.Remove(p))
		return syscall.Mkfifo(p, 0o600)
	}))
	return planted
}

// Opening a pipe waits for a writer that never comes.
func TestPipesInTheMemory(t *testing.T) {
	t.Parallel()
	object := func(rel string) bool { return strings.Contains(rel, "/objects/") }
	for name, match := range map[string]func(rel string) bool{
		"own files":   func(rel string) bool { return !strings.Contains(rel, "/git/") },
		"git's files": func(rel string) bool { return strings.Contains(rel, "/git/") && !object(rel) },
		"all files":   func(rel string) bool { return !object(rel) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, nil)
			b.write(map[string]string{"a": "1\n"})
			b.snapshot("one")
			must(t, b.store.CloseAll(t.Context()))
			if b.plantPipes(match) == 0 {
				t.Fatal("nothing was planted")
			}
			b.store = newStore(t, filepath.Join(b.root, "scratch"))
			b.open(world.OpenRequest{})
			b.write(map[string]string{"a": "2\n"})
			two := b.snapshot("two")
			b.write(map[string]string{"a": "3\n"})
			b.restore(two.Token)
			b.check(map[string]string{"a": "file 2\n"})
		})
	}
}

// While the world is open there is nothing to do but to say so.
func TestPipeInPlaceOfTheIndex(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	b.write(map[string]string{"a": "1\n"})
	one := b.snapshot("one")
	b.plantPipes(func(rel string) bool { return strings.HasSuffix(rel, "/git/index") })
	_, err := b.store.Restore(t.Context(), b.id, one.Token)
	if err == nil || !strings.Contains(err.Error(), "no regular file") {
		t.Errorf("got %v", err)
	}
}

// A tree that is deeper than a path can name is undone like anything else.
func TestDeepTree(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	b.write(map[string]string{"a": "1\n"})
	one := b.snapshot("one")
	root, err := os.OpenRoot(b.dir)
	must(t, err)
	name := strings.Repeat("d", 200)
	for range 60 {
		must(t, root.Mkdir(name, 0o755))
		next, err := root.OpenRoot(name)
		must(t, err)
		root.Close()
		root = next
	}
	must(t, root.Close())
	b.restore(one.Token)
	b.check(map[string]string{"a": "file 1\n"})
}
