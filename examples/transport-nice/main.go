// Command crucible-transport-nice runs the turn's command at low priority. It is
// the example of docs/transport-author.md.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/crucible-engine/crucible/sdk"
	"github.com/crucible-engine/crucible/sdk/proc"
	"github.com/crucible-engine/crucible/sdk/transport"
)

var info = sdk.Info{Name: "nice", Version: "0.1.0"}

func main() { sdk.ServeTransport(info, nice{}) }

type nice struct{}

func (nice) RunTurn(ctx context.Context, turn transport.Turn, emit func(transport.Event) error) (transport.Result, error) {
	prompt, err := writePrompt(turn.Prompt)
	if err != nil {
		return transport.Result{}, err
	}
	defer os.Remove(prompt)
	command := proc.Command{Path: "nice", Args: []string{"nice", "-n", "10", "/bin/sh", "-c", turn.Command}, Dir: turn.Workspace}
	for _, v := range turn.Env {
		command.Env = append(command.Env, v.Name+"="+v.Value)
	}
	command.Env = append(command.Env, "CRUCIBLE_PROMPT_FILE="+prompt)
	command.Stdout = func(l proc.Line) {
		_ = emit(transport.Output{Stream: transport.Stdout, Line: []byte(l.Text), Truncated: l.Truncated})
	}
	command.Stderr = func(l proc.Line) {
		_ = emit(transport.Output{Stream: transport.Stderr, Line: []byte(l.Text), Truncated: l.Truncated})
	}
	exit, err := proc.Run(ctx, command)
	switch {
	case ctx.Err() != nil:
		return transport.Result{}, ctx.Err()
	case err != nil:
		return transport.Result{}, fmt.Errorf("run turn: %w", err)
	case !exit.Success():
		return transport.Result{Outcome: transport.OutcomeFailed, ExitCode: exit.Code, Note: fmt.Sprint("exit ", exit.Code), WorkspaceSynced: true}, nil
	}
	return transport.Result{Outcome: transport.OutcomeCompleted, CostSource: transport.CostFree, WorkspaceSynced: true}, nil
}

// writePrompt makes a private file: a prompt may be larger than an environment.
func writePrompt(text string) (path string, err error) {
	f, err := os.CreateTemp("", "prompt-")
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(text)
	return f.Name(), errors.Join(err, f.Close())
}

func (nice) ReleaseRun(context.Context, string) error { return nil }
