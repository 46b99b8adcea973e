package state

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// fullDisk is a log file on a disk that takes room more bytes.
type fullDisk struct {
	*os.File
	room       int
	noTruncate bool
}

func (f *fullDisk) Write(p []byte) (int, error) {
	if len(p) <= f.room {
		f.room -= len(p)
		return f.File.Write(p)
	}
	n, err := f.File.Write(p[:f.room])
	f.room = 0
	if err == nil {
		err = &os.PathError{Op: "write", Path: f.Name(), Err: syscall.ENOSPC}
	}
	return n, err
}

func (f *fullDisk) Truncate(size int64) error {
	if f.noTruncate {
		return syscall.EIO
	}
	return f.File.Truncate(size)
}

// TestFullDisk is inside the package because no test may fill a real disk. For
// every amount of room: the error says what and where, nothing torn stays, and
// when there is room again the log goes on.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	const first, second, third = `{"n":1}`, `{"n":2}`, `{"n":3}`
	for _, noTruncate := range []bool{false, true} {
		for room := range len(second) + 1 {
			path := filepath.Join(t.TempDir(), sessionFile)
			f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
			if err != nil {
				t.Fatal(err)
			}
			disk := &fullDisk{File: f, room: len(first) + 1 + room, noTruncate: noTruncate}
			l := &Log{path: path, f: disk}
			if err := l.Append([]byte(first)); err != nil {
				t.Fatal(err)
			}
			err = l.Append([]byte(second))
			if !errors.Is(err, syscall.ENOSPC) || strings.Count(err.Error(), path) != 1 {
				t.Fatalf("room %d: got %v", room, err)
			}
			disk.room = 1000
			if err := l.Append([]byte(third)); err != nil {
				t.Fatal(err)
			}
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			want := first + "\n" + third + "\n"
			if noTruncate && room > 0 {
				want = first + "\n" + second[:room] + "\n" + third + "\n"
			}
			if !bytes.Equal(got, []byte(want)) {
				t.Errorf("room %d: got %q, want %q", room, got, want)
			}
		}
	}
}
