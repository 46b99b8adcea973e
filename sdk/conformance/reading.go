package conformance

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"

	"github.com/crucible-engine/crucible/sdk/contract"
	"github.com/crucible-engine/crucible/sdk/world"
)

// readings are the cases of what can be read of a recorded state.
func readings() []Case {
	return []Case{
		{Name: "read", Demand: "A file of a state is read as it was then, with its mode and size, whatever the workspace holds now.", run: reads},
		{Name: "read-large", Demand: "A file that is larger than any message is read whole.", run: readsLarge},
		{Name: "read-missing", Demand: "A path that is absent, a directory, a link or leads out is not found.", run: readsNot},
		{Name: "read-foreign", Demand: "A token of another world is not found.", run: readsForeign},
		{Name: "diff", Demand: "The patch from a state names what was added, changed and deleted since, recorded or not, and changes nothing.", run: diffs},
		{Name: "diff-nothing", Demand: "The patch of an unchanged workspace is empty.", run: diffsNothing},
		{Name: "diff-binary", Demand: "The patch holds the bytes of binary files.", run: diffsBinary},
		{Name: "diff-limit", Demand: "A limit cuts the patch at that many bytes, and says so.", run: diffsSome},
	}
}

func (l *land) read(token, path string) (string, world.File, error) {
	var text bytes.Buffer
	file, err := l.peer.world.Read(l.t.Context(), l.id, token, path, &text)
	return text.String(), file, err
}

func reads(t T, target Target) {
	l, base := settled(t, target)
	l.write("top.txt", "changed\n")
	l.remove("dir")
	l.snapshot("second", false)
	for path, want := range map[string]string{
		"top.txt": "one\ntwo\nthree\n", "dir/deep/er/leaf": "leaf\n", "blob": "\x00\x01\xff\r\n\r", "empty": "", "tool.sh": "#!/bin/sh\n",
	} {
		text, file, err := l.read(base, path)
		if err != nil || text != want || file.Size != int64(len(want)) {
			t.Errorf("%s: got %q, %+v, %v", path, text, file, err)
		}
		if program := file.Mode&0o100 != 0; program != (path == "tool.sh") {
			t.Errorf("%s: the mode is %o", path, file.Mode)
		}
	}
}

func readsLarge(t T, target Target) {
	l, _ := settled(t, target)
	want := strings.Repeat("0123456789abcde\n", (contract.MaxMessage+contract.MaxChunk)/16)
	l.write("large", want)
	token := l.snapshot("large", false).Token
	if text, file, err := l.read(token, "large"); err != nil || text != want {
		t.Errorf("got %d bytes, want %d: %+v, %v", len(text), len(want), file, err)
	}
}

func readsNot(t T, target Target) {
	l, base := settled(t, target)
	l.write("later", "x")
	for _, path := range []string{
		"absent", "dir", "dir/deep", "link", "dangling", "later", "top.txt/below", "link/below", "", ".", "..", "../x", "dir/../top.txt",
		"/etc/passwd", ".git/config", "-n", "*", ":(top)top.txt", "top.txt\n", "HEAD:top.txt",
	} {
		if text, _, err := l.read(base, path); !errors.Is(err, contract.ErrNotFound) {
			t.Errorf("read %q: got %q, %v", path, text, err)
		}
	}
}

func readsForeign(t T, target Target) {
	l, _ := settled(t, target)
	other := open(t, l.peer, request(t))
	other.first()
	other.write("other", "x")
	foreign := other.snapshot("other", true).Token
	for _, token := range []string{foreign, "HEAD", "no such token"} {
		if text, _, err := l.read(token, "top.txt"); !errors.Is(err, contract.ErrNotFound) {
			t.Errorf("read from %.60q: got %q, %v", token, text, err)
		}
		if _, err := l.peer.world.Diff(l.t.Context(), l.id, token, 0, io.Discard); !errors.Is(err, contract.ErrNotFound) {
			t.Errorf("diff from %.60q: got %v", token, err)
		}
	}
}

func (l *land) diff(token string, limit int64) (string, world.Diffed) {
	l.t.Helper()
	var patch bytes.Buffer
	diffed, err := l.peer.world.Diff(l.t.Context(), l.id, token, limit, &patch)
	if err != nil {
		l.t.Fatalf("diff: %v", err)
	}
	return patch.String(), diffed
}

func diffs(t T, target Target) {
	l, base := settled(t, target)
	l.write("recorded", "a recorded line\n")
	l.snapshot("second", false)
	l.write("top.txt", "one\na changed line\nthree\n")
	l.write("new dir/new", "an added line\n")
	l.remove("dir/inner.txt")
	before := treeOf(t, l.dir)
	patch, diffed := l.diff(base, 0)
	for _, want := range []string{"+a recorded line", "+a changed line", "-two", "+an added line", "-inner", "top.txt", "new dir/new", "dir/inner.txt"} {
		if !strings.Contains(patch, want) {
			t.Errorf("the patch does not hold %q:\n%s", want, patch)
		}
	}
	if diffed.Shortstat == "" || diffed.Truncated || strings.Contains(diffed.Shortstat, "\n") {
		t.Errorf("got %+v", diffed)
	}
	l.wants(before, "after Diff")
	if again := l.snapshot("third", false); !again.Changed {
		t.Errorf("Diff has recorded the changes: %+v", again)
	}
}

func diffsNothing(t T, target Target) {
	l, base := settled(t, target)
	if patch, diffed := l.diff(base, 0); patch != "" || diffed != (world.Diffed{}) {
		t.Errorf("got %q, %+v", patch, diffed)
	}
}

func diffsBinary(t T, target Target) {
	l, base := settled(t, target)
	l.write("blob", "\x00\x02 other bytes \xff")
	l.must(os.WriteFile(l.path("new blob"), bytes.Repeat([]byte{0, 1, 2, 0xff}, 100), 0o644))
	patch, _ := l.diff(base, 0)
	if strings.Count(patch, "GIT binary patch") != 2 {
		t.Errorf("the patch is\n%q", patch)
	}
}

func diffsSome(t T, target Target) {
	l, base := settled(t, target)
	l.write("large", strings.Repeat("a line of the file\n", 20_000))
	whole, _ := l.diff(base, 0)
	for _, limit := range []int64{1, 100, contract.MaxChunk, contract.MaxChunk + 1} {
		patch, diffed := l.diff(base, limit)
		if int64(len(patch)) != limit || !diffed.Truncated || diffed.Shortstat == "" || !strings.HasPrefix(whole, patch) {
			t.Errorf("limit %d: got %d bytes, %+v", limit, len(patch), diffed)
		}
	}
	if patch, diffed := l.diff(base, int64(len(whole))); patch != whole || diffed.Truncated {
		t.Errorf("a limit of the whole patch: got %d bytes, %+v", len(patch), diffed)
	}
}
