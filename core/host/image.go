package host

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"

	"github.com/crucible-engine/crucible/sdk/proc"
)

const (
	maxBinary     = 1 << 30 // bytes of a plugin's binary
	maxScript     = 4 << 20 // bytes of a plugin that is a script
	maxShebang    = 255     // bytes of a script's first line
	hashBuffer    = 256 << 10
	scriptPattern = "#!"
	// descriptors is where Linux shows a process its own open files.
	descriptors = "/proc/self/fd/"
)

// image is the binary of a plugin, opened once. The bytes that are hashed are
// the bytes that are executed, whatever the path names by then: a program is
// executed through the descriptor, a script from a private copy.
type image struct {
	candidate
	// resolved is the path without links.
	resolved string

	file   *os.File
	info   fs.FileInfo // of the moment before the hash
	script []byte      // the whole text of a script, nil for a program

	begin  sync.Once
	hashed chan struct{} // closed by the goroutine that hashes
	sha256 string
	err    error
}

// openImage opens a binary that keeps the rules. The caller must Close it.
func (f *finder) openImage(c candidate) (*image, error) {
	file, resolved, err := f.open(c)
	if err != nil {
		return nil, err
	}
	im := &image{candidate: c, resolved: resolved, file: file, hashed: make(chan struct{})}
	if err := im.inspect(); err != nil {
		file.Close()
		return nil, fmt.Errorf("open plugin %s: %s: %w", c.ref, resolved, err)
	}
	return im, nil
}

// Close lets go of the file and waits for a hash under way to be given up.
func (im *image) Close() error {
	err := im.file.Close()
	im.begin.Do(func() { close(im.hashed) })
	<-im.hashed
	return err
}

// beginHash hashes the file in the background, once.
func (im *image) beginHash() {
	im.begin.Do(func() {
		go func() {
			defer close(im.hashed)
			im.sha256, im.err = im.hash()
		}()
	})
}

func (im *image) inspect() (err error) {
	if im.info, err = im.file.Stat(); err != nil {
		return err
	}
	if im.info.Size() > maxBinary {
		return fmt.Errorf("the file has %d bytes, at most %d are allowed", im.info.Size(), maxBinary)
	}
	start := make([]byte, len(scriptPattern))
	if _, err := im.file.ReadAt(start, 0); err != nil {
		return fmt.Errorf("read the file: %w", err)
	}
	if string(start) != scriptPattern {
		return nil
	}
	if im.info.Size() > maxScript {
		return fmt.Errorf("the script has %d bytes, at most %d are allowed", im.info.Size(), maxScript)
	}
	im.script, err = io.ReadAll(io.NewSectionReader(im.file, 0, maxScript))
	return err
}

func (im *image) hash() (string, error) {
	sum := sha256.New()
	if im.script != nil {
		sum.Write(im.script)
	} else {
		// The wrapper hides ReadFrom and WriteTo, so that the buffer is used.
		from := struct{ io.Reader }{io.NewSectionReader(im.file, 0, maxBinary)}
		if _, err := io.CopyBuffer(sum, from, make([]byte, hashBuffer)); err != nil {
			return "", fmt.Errorf("hash plugin %s: %w", im.ref, err)
		}
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// digest waits for the hash, in hexadecimal. It fails when the file was written
// to meanwhile.
func (im *image) digest(ctx context.Context) (string, error) {
	im.beginHash()
	select {
	case <-im.hashed:
	case <-ctx.Done():
		return "", ctx.Err()
	}
	if im.err != nil {
		return "", im.err
	}
	return im.sha256, im.unchanged()
}

// unchanged reports whether the file is as it was when it was opened. Once it
// runs, the system keeps everybody from writing to it.
func (im *image) unchanged() error {
	now, err := im.file.Stat()
	if err != nil {
		return fmt.Errorf("open plugin %s: %w", im.ref, err)
	}
	if now.Size() != im.info.Size() || !now.ModTime().Equal(im.info.ModTime()) {
		return fmt.Errorf("plugin %s: %s was changed since it was opened", im.ref, im.resolved)
	}
	return nil
}

// command is what to execute. dir is a private directory for a copy, where one
// is needed. The image must stay open until the process has been started.
func (im *image) command(dir string) (proc.Command, error) {
	path := filepath.Join(dir, im.ref.Binary())
	switch {
	case im.script != nil:
		return im.interpret(path)
	case runtime.GOOS == "linux":
		return proc.Command{Path: descriptors + strconv.Itoa(int(im.file.Fd())), Args: []string{im.path}}, nil
	default: // no other system executes a descriptor
		return proc.Command{Path: path, Args: []string{im.path}}, im.copyTo(path)
	}
}

// copyTo copies a program and makes sure that the copy is what was hashed.
func (im *image) copyTo(path string) error {
	to, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o700)
	if err != nil {
		return err
	}
	sum := sha256.New()
	_, err = io.Copy(io.MultiWriter(to, sum), io.NewSectionReader(im.file, 0, maxBinary))
	if err := errors.Join(err, to.Close()); err != nil {
		return fmt.Errorf("copy plugin %s: %w", im.ref, err)
	}
	if want, err := im.digest(context.Background()); err != nil || want != hex.EncodeToString(sum.Sum(nil)) {
		return errors.Join(err, fmt.Errorf("plugin %s: %s was changed since it was opened", im.ref, im.resolved))
	}
	return nil
}

// interpret makes the private copy of a script: its interpreter reads it long
// after the check.
func (im *image) interpret(path string) (proc.Command, error) {
	interpreter, err := parseShebang(im.script)
	if err != nil {
		return proc.Command{}, fmt.Errorf("%s: %w", im.resolved, err)
	}
	if err := os.WriteFile(path, im.script, 0o600); err != nil {
		return proc.Command{}, fmt.Errorf("copy the script: %w", err)
	}
	return proc.Command{Path: interpreter[0], Args: append(interpreter, path)}, nil
}

// parseShebang reads the first line of a script as Linux does: an absolute path
// and at most one argument. Executing the interpreter ourselves works where the
// private directory is mounted noexec.
func parseShebang(script []byte) ([]string, error) {
	line, _, _ := bytes.Cut(script[:min(len(script), maxShebang)], []byte("\n"))
	path, argument, _ := strings.Cut(strings.TrimSpace(string(line[len(scriptPattern):])), " ")
	if !filepath.IsAbs(path) {
		return nil, errors.New("the first line names no interpreter by its absolute path")
	}
	if argument = strings.TrimSpace(argument); argument != "" {
		return []string{path, argument}, nil
	}
	return []string{path}, nil
}
