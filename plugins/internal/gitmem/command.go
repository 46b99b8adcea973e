package gitmem

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/crucible-engine/crucible/sdk/contract"
	"github.com/crucible-engine/crucible/sdk/proc"
)

const (
	// gitTimeout bounds one git process. It is far beyond what a large workspace
	// takes and is there for input made to be slow.
	gitTimeout = 30 * time.Minute
	// maxAnswer bounds what is kept of an answer that is not streamed, in bytes.
	maxAnswer = 4 << 20
)

// call is one run of git.
type call struct {
	args []string
	// dir is the working directory.
	dir   string
	env   []string
	stdin io.Reader
	// stdout takes the output; nil keeps it as the result, at most maxAnswer.
	stdout io.Writer
	// timeout is gitTimeout when zero.
	timeout time.Duration
}

// gitError says how a git process failed.
type gitError struct {
	command string
	exit    proc.Exit
	stderr  string
}

// Error is one line: the command, how it ended and the last thing it said.
func (e *gitError) Error() string {
	text := fmt.Sprintf("git %s: %s", e.command, e.exit)
	if said := oneLine(e.stderr); said != "" {
		text += ": " + said
	}
	return text
}

// says reports whether the process complained with these words.
func (e *gitError) says(words string) bool { return strings.Contains(e.stderr, words) }

// deniedByMode reports whether permissions of files were in the way.
func deniedByMode(stderr string) bool {
	return strings.Contains(stderr, "Permission denied") || strings.Contains(stderr, "Operation not permitted")
}

// result is what a git process said.
type result struct {
	out    []byte
	stderr string
}

func (r result) text() string { return strings.TrimSpace(string(r.out)) }

// runGit runs git to its end. A status other than 0 is a *gitError; the result
// holds what was said in any case.
func runGit(ctx context.Context, path string, c call) (result, error) {
	out := proc.NewCapture(maxAnswer, 0)
	errs := proc.NewCapture(contract.StderrTail/2, contract.StderrTail/2)
	command := proc.Command{
		Path: path, Args: append([]string{"git"}, c.args...), Dir: c.dir, Env: c.env,
		Stdin: c.stdin, StdoutTo: out, StderrTo: errs, Timeout: c.timeout,
	}
	if c.stdout != nil {
		command.StdoutTo = c.stdout
	}
	if command.Timeout == 0 {
		command.Timeout = gitTimeout
	}
	exit, err := proc.Run(ctx, command)
	r := result{out: out.Bytes(), stderr: errs.String()}
	if ctx.Err() != nil {
		return r, fmt.Errorf("git %s: %w", subcommand(c.args), ctx.Err())
	}
	if err != nil {
		return r, fmt.Errorf("git %s: %w", subcommand(c.args), err)
	}
	if out.Omitted() > 0 {
		return r, fmt.Errorf("git %s: answered more than %d bytes", subcommand(c.args), maxAnswer)
	}
	if !exit.Success() {
		return r, &gitError{command: subcommand(c.args), exit: exit, stderr: r.stderr}
	}
	return r, nil
}

// subcommand is the first argument that is no option of git itself.
func subcommand(args []string) string {
	for i := 0; i < len(args); i++ {
		if args[i] == "-c" || args[i] == "-C" {
			i++
		} else if !strings.HasPrefix(args[i], "-") {
			return args[i]
		}
	}
	return ""
}

// asGitError is the *gitError in err's chain, nil when there is none.
func asGitError(err error) *gitError {
	var e *gitError
	if errors.As(err, &e) {
		return e
	}
	return nil
}

// oneLine is the last line with content, cut and free of control characters:
// git quotes what the agent named.
func oneLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	last := lines[len(lines)-1]
	// "fatal: adding files failed" says less than the line before it.
	if len(lines) > 1 && strings.HasPrefix(last, "fatal: ") && strings.HasPrefix(lines[len(lines)-2], "error: ") {
		last = lines[len(lines)-2] + "; " + last
	}
	return printable(last, 500)
}

// printable replaces control characters and cuts text at max bytes.
func printable(text string, max int) string {
	clean := strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return '?'
		}
		return r
	}, text)
	if len(clean) > max {
		clean = strings.ToValidUTF8(clean[:max], "") + "…"
	}
	return clean
}

// records calls each with every part of a stream that ends in a NUL.
type records struct {
	each func(string) error
	rest []byte
}

// maxRecord bounds one part: git's paths are shorter.
const maxRecord = 1 << 20

func (r *records) Write(p []byte) (int, error) {
	n := len(p)
	for {
		i := bytes.IndexByte(p, 0)
		if i < 0 {
			r.rest = append(r.rest, p...)
			if len(r.rest) > maxRecord {
				return 0, fmt.Errorf("a record of more than %d bytes", maxRecord)
			}
			return n, nil
		}
		part := string(append(r.rest, p[:i]...))
		r.rest = r.rest[:0]
		p = p[i+1:]
		if err := r.each(part); err != nil {
			return 0, err
		}
	}
}
