package proc

import (
	"io"
	"os"
	"time"

	"github.com/crucible-engine/crucible/sdk/contract"
)

// drainTime is how long the output of a child may stay open after it ended.
const drainTime = 300 * time.Millisecond

// Line is one line of a child's output.
type Line struct {
	// Text is the line without its line end ("\n" or "\r\n"). It may hold bytes
	// that are not UTF-8.
	Text string
	// Truncated says that the line was longer than MaxLine: Text is its
	// beginning, cut between two characters, the rest was discarded.
	Truncated bool
}

// Command says what to run. Path is required, the zero value of everything else
// works.
type Command struct {
	// Path is the file to execute. A name without a slash is looked up on this
	// program's own PATH.
	Path string
	// Args is the argument list with the program's own name first. Empty means
	// Path alone.
	Args []string
	// Dir is the working directory, empty for this program's own.
	Dir string
	// Env is the whole environment, passed on as it is, duplicates included. Nil
	// is an empty environment, not the inherited one.
	Env []string

	// Stdin is the child's input, nil for the null device. An *os.File is handed
	// to the child itself. Any other reader is copied by a goroutine; one whose
	// Read never returns keeps that goroutine alive, not the child.
	Stdin io.Reader
	// Stdout and Stderr are called with each line of the two streams, in order
	// within a stream, and never two at a time. A call that takes long holds the
	// child up. Nil discards the stream.
	Stdout, Stderr func(Line)
	// StdoutTo and StderrTo take a stream raw and go before the callbacks. An
	// *os.File is handed to the child itself. Any other writer gets the bytes as
	// they come, without a bound; one writer for both must be safe for concurrent
	// use. A failed Write stops the child and is the error of Wait.
	StdoutTo, StderrTo io.Writer
	// MaxLine is the most bytes of one line that a callback gets, by default
	// contract.MaxLine.
	MaxLine int
	// ExtraFiles become descriptors 3 and up in the child, which gets no others.
	ExtraFiles []*os.File

	// Lasting says that the child is to live beside others, a server for instance:
	// while only such children run, what others have left behind is swept up. See
	// Adopt.
	Lasting bool

	// Timeout is how long the child may run, zero for as long as its context
	// lasts.
	Timeout time.Duration
	// Grace is the pause between SIGTERM and SIGKILL, by default
	// contract.KillGrace; negative means SIGKILL at once.
	Grace time.Duration
}

// Shell is the command that runs a script with the POSIX shell.
func Shell(script string) Command {
	return Command{Path: "/bin/sh", Args: []string{"sh", "-c", script}}
}

func (c Command) withDefaults() Command {
	if len(c.Args) == 0 {
		c.Args = []string{c.Path}
	}
	if c.Env == nil {
		c.Env = []string{}
	}
	if c.MaxLine <= 0 {
		c.MaxLine = contract.MaxLine
	}
	if c.Grace == 0 {
		c.Grace = contract.KillGrace
	}
	return c
}
