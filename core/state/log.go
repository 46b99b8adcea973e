package state

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"sync"
)

// maxKept is the size up to which a Log keeps its buffer for the next line.
const maxKept = 1 << 20

// Log is an append-only file of lines. One process writes it, and only that one.
// Append is safe for concurrent use.
type Log struct {
	path string

	mu sync.Mutex
	f  logFile
	// torn: the file ends in the middle of a line that could not be taken back.
	torn bool
	buf  []byte
}

// logFile is the part of *os.File that a Log uses.
type logFile interface {
	Write(p []byte) (int, error)
	Truncate(size int64) error
	Stat() (os.FileInfo, error)
	Sync() error
	Close() error
}

// openLog opens a log for appending and heals a torn tail: what a killed engine
// left of a line gets its newline, so that the next line is whole.
func openLog(root *os.Root, dir, name string) (*Log, error) {
	path := dir + string(os.PathSeparator) + name
	f, err := openRegular(root, name, os.O_RDWR|os.O_APPEND|os.O_CREATE)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, cause(err))
	}
	l := &Log{path: path, f: f}
	if l.torn, err = endsTorn(f); err == nil && l.torn {
		if _, err = f.Write([]byte{'\n'}); err == nil {
			l.torn = false
		}
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", path, cause(err)), f.Close())
	}
	return l, nil
}

func endsTorn(f *os.File) (bool, error) {
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return false, err
	}
	last := make([]byte, 1)
	if _, err := f.ReadAt(last, info.Size()-1); err != nil {
		return false, err
	}
	return last[0] != '\n', nil
}

// Path is the absolute path of the file.
func (l *Log) Path() string { return l.path }

// Append writes one line; the newline is added here. The line is in the file when
// Append returns, but not necessarily on the disk. An error names the path and
// the cause (a full disk, say); nothing of the line is then in the file.
func (l *Log) Append(line []byte) error {
	if len(line) == 0 || bytes.IndexByte(line, '\n') >= 0 {
		return fmt.Errorf("append to %s: not one line", l.path)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.buf = l.buf[:0]
	if l.torn {
		l.buf = append(l.buf, '\n')
	}
	l.buf = append(append(l.buf, line...), '\n')
	// One write: with O_APPEND the line arrives whole at the end of the file.
	n, err := l.f.Write(l.buf)
	if cap(l.buf) > maxKept {
		l.buf = nil
	}
	if err != nil {
		l.takeBack(n)
		return fmt.Errorf("append to %s: %w", l.path, cause(err))
	}
	l.torn = false
	return nil
}

// takeBack removes the n bytes of a line that got into the file before its write
// failed. When that fails too, the next line starts with a newline.
func (l *Log) takeBack(n int) {
	if n == 0 {
		return
	}
	info, err := l.f.Stat()
	if err != nil || l.f.Truncate(info.Size()-int64(n)) != nil {
		l.torn = true
	}
}

// Close makes the log durable and closes it.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := errors.Join(l.f.Sync(), l.f.Close()); err != nil {
		return fmt.Errorf("close %s: %w", l.path, err)
	}
	return nil
}

// openRegular opens a regular file and never follows a link. root.OpenFile alone
// follows links that stay inside.
func openRegular(root *os.Root, name string, flag int) (*os.File, error) {
	before, err := root.Lstat(name)
	if err == nil && !before.Mode().IsRegular() {
		return nil, fmt.Errorf("is a %s, remove it", describe(before.Mode()))
	}
	f, err := root.OpenFile(name, flag, fileMode)
	if err != nil {
		return nil, err
	}
	now, err := root.Lstat(name)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	if info, err := f.Stat(); err != nil || !os.SameFile(info, now) {
		return nil, errors.Join(err, errors.New("was replaced while it was being opened"), f.Close())
	}
	return f, nil
}
