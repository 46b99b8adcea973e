package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/crucible-engine/crucible/sdk/contract"
	"github.com/crucible-engine/crucible/sdk/proc"
	"github.com/crucible-engine/crucible/sdk/world"
)

// domain is what a workspace's commands need. It does not change while the world
// is open.
type domain struct {
	workspace string
	commands  world.Commands
	env       []world.EnvVar
}

// command is one run of a domain's command.
type command struct {
	name    string // the manifest's key, for messages
	script  string
	timeout time.Duration
	env     []world.EnvVar // goes over the domain's
	log     func(world.LogLine)
}

// ran is how a command ended by itself.
type ran struct {
	exit proc.Exit
	// last is the last line on stdout that holds more than white space; long says
	// that it was longer than contract.MaxToken.
	last string
	long bool
	// complaint is the end of stderr.
	complaint string
}

// err is nil for a command that did what it should.
func (r ran) err(c command) error {
	switch {
	case r.exit.TimedOut:
		return fmt.Errorf("not done after %v (%s)", c.timeout, strings.TrimSuffix(c.name, "cmd")+"timeout")
	case r.exit.Success():
		return nil
	case r.complaint != "":
		return fmt.Errorf("%s: %s", r.exit, r.complaint)
	default:
		return errors.New(r.exit.String())
	}
}

// run runs a command in the workspace. The error says that it could not be
// started, or that ctx ended.
func (d domain) run(ctx context.Context, c command) (ran, error) {
	p := proc.Shell(c.script)
	p.Dir, p.Timeout = d.workspace, c.timeout
	p.Env = d.environment(c.env)
	var out ran
	complaint := proc.NewCapture(0, maxComplaint)
	say := func(l proc.Line, stderr bool) {
		if c.log != nil {
			c.log(world.LogLine{Line: []byte(l.Text), Truncated: l.Truncated, Stderr: stderr})
		}
	}
	p.Stdout = func(l proc.Line) {
		if strings.TrimSpace(l.Text) != "" {
			out.last, out.long = l.Text, l.Truncated || len(l.Text) > contract.MaxToken
			if out.long {
				out.last = ""
			}
		}
		say(l, false)
	}
	p.Stderr = func(l proc.Line) {
		_, _ = complaint.Write([]byte(l.Text + "\n")) // it takes everything
		say(l, true)
	}
	exit, err := proc.Run(ctx, p)
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	out.exit, out.complaint = exit, lastLine(complaint.String())
	if err != nil {
		return out, fmt.Errorf("run %s: %w", c.name, err)
	}
	return out, nil
}

// maxComplaint bounds what is kept of stderr for a message, in bytes.
const maxComplaint = 4 << 10

func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return text[strings.LastIndexByte(text, '\n')+1:]
}

// environment is that of this process, what the engine sent, and what one
// command gets beside; the last of a name counts.
func (d domain) environment(more []world.EnvVar) []string {
	env := os.Environ()
	for _, v := range slices.Concat(d.env, more) {
		prefix := v.Name + "="
		env = slices.DeleteFunc(env, func(e string) bool { return strings.HasPrefix(e, prefix) })
		env = append(env, prefix+v.Value)
	}
	return env
}

var errTooLong = fmt.Errorf("its last line has more than %d bytes", contract.MaxToken)

// fault is what went wrong with a command that must succeed.
func fault(c command, err error) error {
	if err == nil {
		return nil
	}
	return contract.NewError(contract.KindInternal, "run "+c.name, "", err)
}
