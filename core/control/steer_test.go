package control_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/crucible-engine/crucible/core/control"
)

func TestDrain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "STEER.md")
	steer := control.SteerFile{Path: path}
	drain := func(want string) {
		t.Helper()
		got, err := steer.Drain()
		if err != nil {
			t.Fatal(err)
		}
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	drain("")
	write("\n try a heap \n")
	drain("try a heap")
	drain("")
	if info, err := os.Stat(path); err != nil || info.Size() != 0 || info.Mode().Perm() != 0o640 {
		t.Errorf("the file is not left empty: %v %v", info, err)
	}
	write(" \n\t")
	drain("")
	write("bad \xff byte")
	drain("bad \uFFFD byte")
	write(strings.Repeat("x", control.MaxSteer+5))
	drain(strings.Repeat("x", control.MaxSteer) + "\n[steering text was cut here]")
	left, err := filepath.Glob(filepath.Join(filepath.Dir(path), ".*"))
	if err != nil || len(left) != 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

func TestDrainNoFile(t *testing.T) {
	dir := t.TempDir()
	if _, err := (control.SteerFile{Path: dir}).Drain(); err == nil || !strings.Contains(err.Error(), dir) {
		t.Errorf("got %v", err)
	}
}
