package host

import (
	"bytes"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/pelletier/go-toml/v2"
)

// Whatever a plugin prints, in whatever pieces, ends in a fault or in a line
// that go-plugin can read, and nothing blocks.
func FuzzHandshake(f *testing.F) {
	f.Add([]byte("1|7|unix|/run/x|grpc|"+strings.Repeat("c", 60)+"\nmore\n"), 5)
	f.Add([]byte("hello\n"), 1)
	f.Add([]byte("1|7|unix|/run/x"), 100)
	f.Add([]byte("||||||||\n"), 3)
	f.Fuzz(func(t *testing.T, stdout []byte, piece int) {
		piece = max(1, piece%1000)
		h := newHandshake([]int{7}, io.Discard)
		passed := make(chan []byte)
		go func() {
			line, _ := io.ReadAll(h.line)
			passed <- line
		}()
		for rest := stdout; len(rest) > 0; {
			n, err := h.Write(rest[:min(piece, len(rest))])
			if err != nil {
				t.Fatal(err)
			}
			rest = rest[n:]
		}
		h.close()
		line := <-passed
		if len(line) > 0 && (h.fault() != nil || bytes.Count(line, []byte("|")) < 5 || bytes.Count(line, []byte("\n")) != 1) {
			t.Errorf("passed on %q with the fault %v", line, h.fault())
		}
	})
}

// A lock file that is read can be written and read again, and says the same.
func FuzzLockFile(f *testing.F) {
	entry := "[[plugin]]\nkind='world'\nname='git'\nversion='1.0.0'\ncontract='0.2.0'\npath='/x'\nadded=2026-01-02T03:04:05Z\nsha256='" + strings.Repeat("a", 64) + "'\n"
	f.Add([]byte(entry))
	f.Add([]byte(entry + "env=['A']\n" + entry))
	f.Add([]byte("plugin = 3\n"))
	f.Add([]byte(""))
	f.Fuzz(func(t *testing.T, text []byte) {
		lock, err := parseLockFile("plugins.lock", text)
		if err != nil {
			return
		}
		for _, e := range lock.entries {
			if _, err := lock.judge(Ref{e.Kind, e.Name}, e.Path, e.SHA256, FromStandard); err != nil || !filepath.IsAbs(e.Path) {
				t.Errorf("%+v is not trusted: %v", e, err)
			}
		}
		again, err := toml.Marshal(lockFileText{lock.entries})
		if err != nil {
			t.Fatal(err)
		}
		second, err := parseLockFile("plugins.lock", again)
		if err != nil {
			t.Fatalf("%v in %q", err, again)
		}
		if diff := cmp.Diff(lock.entries, second.entries, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("(-first +second):\n%s", diff)
		}
	})
}

// A first line is refused or names an absolute interpreter.
func FuzzShebang(f *testing.F) {
	f.Add([]byte("#!/bin/sh -e\n"))
	f.Add([]byte("#! /usr/bin/env  python3 -u"))
	f.Add([]byte("#!\n"))
	f.Fuzz(func(t *testing.T, script []byte) {
		if !bytes.HasPrefix(script, []byte(scriptPattern)) {
			return
		}
		command, err := parseShebang(script)
		if err == nil && (len(command) == 0 || len(command) > 2 || !filepath.IsAbs(command[0])) {
			t.Errorf("got %q", command)
		}
	})
}
