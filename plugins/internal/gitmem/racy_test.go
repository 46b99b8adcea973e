package gitmem_test

import (
	"os"
	"testing"
	"time"

	"github.com/crucible-engine/crucible/sdk/world"
)

// disguised changes a file so that nothing but its content, and its change time
// by fractions of a second, tells: same size, same file, old modification time.
func (b *bench) disguised(name, text string) {
	b.t.Helper()
	f, err := os.OpenFile(b.path(name), os.O_WRONLY, 0)
	must(b.t, err)
	_, err = f.WriteAt([]byte(text), 0)
	must(b.t, err)
	must(b.t, f.Close())
	old := time.Unix(1_000_000_000, 0)
	must(b.t, os.Chtimes(b.path(name), old, old))
}

// Changes within the second in which git last looked are recorded and undone like
// any other.
func TestDisguisedChanges(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	put(t, b.path("value"), "100")
	b.disguised("value", "100")
	base := b.snapshot("base")
	tokens := map[string]string{"100": base.Token}
	for _, text := range []string{"050", "010", "020", "030"} {
		b.disguised("value", text)
		snap := b.snapshot(text)
		if !snap.Changed {
			t.Errorf("%s is not seen", text)
		}
		tokens[text] = snap.Token
	}
	for text, token := range tokens {
		b.disguised("value", "999")
		b.restore(token)
		got, err := os.ReadFile(b.path("value"))
		must(t, err)
		if string(got) != text {
			t.Errorf("restored %s, want %s", got, text)
		}
		b.disguised("value", "888")
		patch, _ := b.diff(token, 0)
		if patch == "" {
			t.Errorf("the difference to %s is empty", text)
		}
	}
	b.reopen(world.OpenRequest{})
	b.disguised("value", "777")
	if !b.snapshot("after opening").Changed {
		t.Error("a change after opening is not seen")
	}
}
