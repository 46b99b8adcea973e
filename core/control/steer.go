// Package control is how an operator talks to a run that is going on. For now
// that is one file, STEER.md (C-PATHS).
package control

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// MaxSteer bounds steering text in bytes; what goes over is cut off and said.
const MaxSteer = 1 << 20

// SteerFile is the file an operator writes to. It need not exist.
type SteerFile struct {
	// Path is absolute.
	Path string
}

// Drain returns what was written since the last call, trimmed, and leaves the
// file empty. Blank text is nothing.
//
// The file is moved aside before it is read, so that a line appended at the
// same moment is either in this call's text or in the next one's.
func (s SteerFile) Drain() (string, error) {
	info, err := os.Stat(s.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read steering: %w", err)
	}
	if !info.Mode().IsRegular() {
		return "", fmt.Errorf("read steering: %s is no regular file", s.Path)
	}
	if info.Size() == 0 {
		return "", nil
	}
	taken := filepath.Join(filepath.Dir(s.Path), "."+filepath.Base(s.Path)+".taken")
	if err := os.Rename(s.Path, taken); err != nil {
		return "", fmt.Errorf("take steering: %w", err)
	}
	defer os.Remove(taken)
	if err := createEmpty(s.Path, info.Mode().Perm()); err != nil {
		return "", err
	}
	f, err := os.Open(taken)
	if err != nil {
		return "", fmt.Errorf("read steering: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, MaxSteer+1))
	if err != nil {
		return "", fmt.Errorf("read steering: %w", err)
	}
	text := strings.ToValidUTF8(string(data), "\uFFFD")
	if len(data) > MaxSteer {
		text = strings.ToValidUTF8(text[:MaxSteer], "") + "\n[steering text was cut here]"
	}
	return strings.TrimSpace(text), nil
}

// createEmpty leaves the file in place for the operator, unless somebody has
// already written a new one.
func createEmpty(path string, perm fs.FileMode) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("empty steering: %w", err)
	}
	return f.Close()
}
