package manifest

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"unicode/utf8"
)

// MaxFile is the most bytes that a goal or a method prompt may have.
const MaxFile = 1 << 20

// Errors of files that the manifest names. They are without the name, which
// the diagnostic or the caller gives.
var (
	errNoFile    = noFile{}
	errDirectory = errors.New("is a directory, not a file")
	errSpecial   = errors.New("is not a regular file")
)

// noFile says that a file is not there, and matches fs.ErrNotExist.
type noFile struct{}

func (noFile) Error() string   { return "no such file" }
func (noFile) Is(e error) bool { return e == fs.ErrNotExist }

// OpenRegular opens a regular file for reading. It never waits, and never opens
// a FIFO or a device, whose opening alone may do something. Its errors are
// without the name of the file.
func OpenRegular(path string) (*os.File, fs.FileInfo, error) {
	info, err := os.Stat(path)
	if err == nil {
		err = regular(info)
	}
	if err != nil {
		return nil, nil, plain(err)
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0)
	if err != nil {
		return nil, nil, plain(err)
	}
	// Another file may have come to stand there since.
	if info, err = f.Stat(); err == nil {
		err = regular(info)
	}
	if err != nil {
		return nil, nil, errors.Join(plain(err), f.Close())
	}
	return f, info, nil
}

func regular(info fs.FileInfo) error {
	switch {
	case info.IsDir():
		return errDirectory
	case !info.Mode().IsRegular():
		return errSpecial
	default:
		return nil
	}
}

// plain takes the name and the system call out of an error.
func plain(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return errNoFile
	}
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		return pathErr.Err
	}
	return err
}

// readRegular reads a regular file of at most limit bytes.
func readRegular(path string, limit int64) ([]byte, error) {
	f, info, err := OpenRegular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info.Size() > limit {
		return nil, overLimit(limit)
	}
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, plain(err)
	}
	if int64(len(data)) > limit {
		return nil, overLimit(limit)
	}
	return data, nil
}

func overLimit(limit int64) error { return fmt.Errorf("is larger than the limit of %d bytes", limit) }

// checkText says whether ReadText would find a file at path, without reading it.
func checkText(path string) error {
	f, info, err := OpenRegular(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if info.Size() > MaxFile {
		return overLimit(MaxFile)
	}
	return nil
}

// ReadText reads a goal or a prompt: a regular file of at most MaxFile bytes of
// UTF-8 without NUL.
func ReadText(path string) (string, error) {
	data, err := readRegular(path, MaxFile)
	if err != nil {
		return "", fmt.Errorf("read %s: %w", path, err)
	}
	return asText(path, data)
}

func asText(path string, data []byte) (string, error) {
	text := string(data)
	switch {
	case len(data) > MaxFile:
		return "", fmt.Errorf("read %s: %w", path, overLimit(MaxFile))
	case !utf8.ValidString(text):
		return "", fmt.Errorf("read %s: is not valid UTF-8", path)
	case strings.ContainsRune(text, 0):
		return "", fmt.Errorf("read %s: holds a NUL byte", path)
	default:
		return text, nil
	}
}
