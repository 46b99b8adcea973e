package main

import (
	"context"
	"errors"
	"fmt"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/crucible-engine/crucible/sdk/contract"
	"github.com/crucible-engine/crucible/sdk/proc"
	"github.com/crucible-engine/crucible/sdk/transport"
)

// RunTurn runs the command of the turn.
func (c *command) RunTurn(ctx context.Context, turn transport.Turn, emit func(transport.Event) error) (transport.Result, error) {
	if turn.Command == "" {
		return transport.Result{}, refuse("command", "missing: set agent_cmd in [agent]")
	}
	session, err := sessionID(turn.Session)
	if err != nil {
		return transport.Result{}, err
	}
	prompt, remove, err := c.writePrompt(turn.Prompt, turn.Workspace)
	if err != nil {
		return transport.Result{}, err
	}
	defer remove()

	running, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	r := &reader{emit: emit, stop: stop}
	shell := proc.Shell(turn.Command)
	shell.Dir, shell.Env = turn.Workspace, environment(turn, prompt, session)
	shell.Stdout, shell.Stderr = r.stdout, r.stderr
	exit, err := proc.Run(running, shell)
	switch {
	case ctx.Err() != nil:
		return transport.Result{}, ctx.Err()
	case running.Err() != nil:
		return transport.Result{}, context.Cause(running)
	case err != nil:
		return transport.Result{}, startFault(err)
	}
	result := r.result(exit)
	result.Cursor = []byte(session)
	return result, nil
}

// startFault tells what the turn asked for and cannot be had from what the
// system may grant at the next try.
func startFault(err error) error {
	for _, wrong := range []error{syscall.E2BIG, syscall.ENOENT, syscall.ENOTDIR, syscall.EACCES, syscall.EINVAL} {
		if errors.Is(err, wrong) {
			return contract.NewError(contract.KindInvalid, "run turn", "", err)
		}
	}
	return contract.NewError(contract.KindUnavailable, "run turn", "", err)
}

func refuse(field, message string) error {
	return &contract.Error{Kind: contract.KindInvalid, Op: "run turn", Subject: field, Message: message}
}

// note says in one line how the command ended.
func note(exit proc.Exit, failed bool) string {
	switch {
	case exit.Signal != 0:
		return "killed by " + unix.SignalName(exit.Signal)
	case exit.Code != 0:
		return fmt.Sprintf("exit %d", exit.Code)
	case failed:
		return "the agent reported an error"
	default:
		return ""
	}
}
