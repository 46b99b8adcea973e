package host_test

import (
	"crypto/tls"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// The sockets lie in a directory that nobody else can enter, and who gets at one
// all the same needs the engine's certificate.
func TestSocketIsPrivate(t *testing.T) {
	t.Parallel()
	f, _, tr := good(t)
	var sockets []string
	err := filepath.WalkDir(filepath.Join(f.runtime, "crucible"), func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		switch {
		case d.IsDir() && info.Mode().Perm() != 0o700:
			t.Errorf("%s has mode %v", path, info.Mode())
		case info.Mode()&os.ModeSocket != 0:
			sockets = append(sockets, path)
		}
		return nil
	})
	if err != nil || len(sockets) != 1 {
		t.Fatalf("got sockets %v, %v, want 1", sockets, err)
	}
	conn, err := tls.Dial("unix", sockets[0], &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2"}})
	if err == nil {
		_, err = conn.Read(make([]byte, 1))
		conn.Close()
	}
	if err == nil || !strings.Contains(err.Error(), "certificate required") {
		t.Errorf("a stranger: got %v, want a refusal", err)
	}
	if _, _, err := turn(t.Context(), tr, ""); err != nil {
		t.Error(err)
	}
}

// A plugin leads a process group of its own, so that the terminal's ctrl-C
// reaches the engine alone.
func TestOwnProcessGroup(t *testing.T) {
	t.Parallel()
	_, _, tr := good(t)
	lines, _, err := turn(t.Context(), tr, "")
	if err != nil {
		t.Fatal(err)
	}
	pid := processOf(t, lines[0])
	if group, err := syscall.Getpgid(pid); err != nil || group != pid {
		t.Errorf("process %d is in group %d, %v", pid, group, err)
	}
}

// A directory that leaves no room for a socket's path is refused before a start.
func TestLongRuntimeDirectory(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	install(t, f.named, "transport", "good")
	long := filepath.Join(f.runtime, strings.Repeat("x", 60))
	if err := os.Mkdir(long, 0o700); err != nil {
		t.Fatal(err)
	}
	f.env["XDG_RUNTIME_DIR"] = long
	_, err := f.host(t).Transport(t.Context(), "good")
	if err == nil || !strings.Contains(err.Error(), long) || !strings.Contains(err.Error(), "at most 60") {
		t.Errorf("got %v", err)
	}
}
