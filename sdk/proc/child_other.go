//go:build !unix

package proc

import (
	"errors"
	"io"
	"os"
	"syscall"
)

type child struct{ pid int }

func (*child) await()                          {}
func (*child) bury() (*os.ProcessState, error) { return nil, errors.ErrUnsupported }

// startChild refuses: without process groups nothing that was started could be
// stopped as a whole.
func startChild(c Command, _ []*os.File) (*child, error) {
	return nil, &StartError{Path: c.Path, Err: errors.ErrUnsupported}
}

func drain(io.Writer, *os.File, []byte) error { return nil }
func signalGroup(int, syscall.Signal)         {}
func wakeGroup(int)                           {}
func groupGone(int) bool                      { return true }
func groupLives(int) bool                     { return false }
func sweepOrphans()                           {}

// Adopt always fails: nothing can be started here.
func Adopt() error { return errors.ErrUnsupported }
