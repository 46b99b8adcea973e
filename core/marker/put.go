package marker

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
)

// ResultsFile is what the engine tells the agent about the run so far.
const ResultsFile = "RESULTS.md"

const partFile = ".crucible-part"

// Put writes a file of the engine's into the workspace: to a temporary name,
// synced, then renamed. What the agent may have put in the way, a link or a
// directory, is replaced and never followed.
func Put(workspace, name string, data []byte) (err error) {
	root, err := openWorkspace(workspace)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := root.RemoveAll(partFile); err != nil {
		return err
	}
	f, err := root.OpenFile(partFile, os.O_WRONLY|os.O_CREATE|os.O_EXCL|syscall.O_NOFOLLOW, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, root.RemoveAll(partFile))
	}
	if info, err := root.Lstat(name); err == nil && info.IsDir() {
		if err := root.RemoveAll(name); err != nil {
			return err
		}
	}
	return root.Rename(partFile, name)
}

// Holds reports whether the workspace has exactly this text under the name, in
// a regular file.
func Holds(workspace, name string, data []byte) bool {
	root, err := openWorkspace(workspace)
	if err != nil {
		return false
	}
	defer root.Close()
	info, err := root.Lstat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() != int64(len(data)) {
		return false
	}
	got, err := readBounded(root, name, int64(len(data)))
	return err == nil && bytes.Equal(got, data)
}

// openWorkspace opens the directory. The agent may have put a pipe in its place,
// and opening that would wait for ever.
func openWorkspace(dir string) (*os.Root, error) {
	info, err := os.Lstat(dir)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("%s is no directory any more", dir)
	}
	return os.OpenRoot(dir)
}

// readBounded reads a regular file of at most max bytes. The name may have been
// swapped since it was looked at: a link is not followed, and a pipe must not block.
func readBounded(root *os.Root, name string, max int64) ([]byte, error) {
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(err, errNoFile)
	}
	data, err := io.ReadAll(io.LimitReader(f, max+1))
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > max {
		return nil, fmt.Errorf("larger than %d bytes", max)
	}
	return data, nil
}

var errNoFile = errors.New("no regular file")
