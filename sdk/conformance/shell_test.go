package conformance_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/crucible-engine/crucible/sdk"
	"github.com/crucible-engine/crucible/sdk/plugin"
	"github.com/crucible-engine/crucible/sdk/proc"
	"github.com/crucible-engine/crucible/sdk/transport"
)

// shell is a transport that keeps the contract.
type shell struct{}

func newShell() transport.Transport { return shell{} }

func (shell) RunTurn(ctx context.Context, turn transport.Turn, emit func(transport.Event) error) (transport.Result, error) {
	command := proc.Shell(turn.Command)
	command.Dir, command.Env = turn.Workspace, variables(turn)
	var emitted error
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	line := func(stream transport.Stream) func(proc.Line) {
		return func(l proc.Line) {
			if err := emit(transport.Output{Stream: stream, Line: []byte(l.Text), Truncated: l.Truncated}); err != nil && emitted == nil {
				emitted = err
				cancel(err)
			}
		}
	}
	command.Stdout, command.Stderr = line(transport.Stdout), line(transport.Stderr)
	exit, err := proc.Run(ctx, command)
	if err := errors.Join(emitted, ctx.Err(), err); err != nil {
		return transport.Result{}, err
	}
	result := transport.Result{Outcome: transport.OutcomeCompleted, ExitCode: exit.Code, CostSource: transport.CostFree, WorkspaceSynced: true}
	if !exit.Success() {
		result.Outcome = transport.OutcomeFailed
	}
	if turn.Session != nil {
		result.Cursor = []byte("cursor")
	}
	return result, nil
}

func (shell) ReleaseRun(context.Context, string) error { return nil }

func variables(turn transport.Turn) []string {
	env := []string{}
	for _, e := range turn.Env {
		env = append(env, e.Name+"="+e.Value)
	}
	return env
}

// play serves the plugin of this test, with a fault or none. It does not return.
func play(fault string) {
	stdout := os.Stdout // the handshake library will replace the variable
	switch fault {
	case "":
		sdk.ServeTransport(info, shell{})
	case "prints late":
		sdk.ServeTransport(info, broken{check: func() { fmt.Fprintln(stdout, "hello") }})
	case "prints early":
		fmt.Println("hello")
		sdk.ServeTransport(info, shell{})
	case "takes anyone":
		panic(takesAnyone())
	case "takes every setting":
		sdk.ServeTransport(info, careless{})
	case "talks":
		sdk.ServeTransport(info, &talker{})
	case "has no group":
		sdk.ServeTransport(info, loner{})
	case "inherits":
		sdk.ServeTransport(info, heir{})
	case "hides the status":
		sdk.ServeTransport(info, optimist{})
	case "keeps lines":
		sdk.ServeTransport(info, keeper{})
	}
	panic("no such fault: " + fault)
}

// broken does something when it is asked to look at the machine.
type broken struct {
	shell
	check func()
}

func (b broken) Check(context.Context) (plugin.Report, error) {
	b.check()
	return plugin.Report{}, nil
}

// careless does not look at its settings.
type careless struct{ shell }

func (careless) Configure(context.Context, plugin.Config) error { return nil }

// talker logs what it is given.
type talker struct {
	shell
	log hclog.Logger
}

func (t *talker) Configure(_ context.Context, c plugin.Config) error {
	t.log = c.Log
	return nil
}

func (t *talker) RunTurn(ctx context.Context, turn transport.Turn, emit func(transport.Event) error) (transport.Result, error) {
	t.log.Info("turn", "env", strings.Join(variables(turn), " "))
	return t.shell.RunTurn(ctx, turn, emit)
}

// loner kills the process that it started, and nothing else.
type loner struct{ shell }

func (loner) RunTurn(ctx context.Context, turn transport.Turn, emit func(transport.Event) error) (transport.Result, error) {
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", turn.Command)
	cmd.Dir, cmd.Env, cmd.WaitDelay = turn.Workspace, variables(turn), 100*time.Millisecond
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Stdout = writer(func(data []byte) error {
		for line := range bytes.Lines(data) {
			if err := emit(transport.Output{Stream: transport.Stdout, Line: bytes.TrimSuffix(line, []byte("\n"))}); err != nil {
				return err
			}
		}
		return nil
	})
	err := cmd.Run()
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return transport.Result{Outcome: transport.OutcomeCompleted}, err
}

type writer func([]byte) error

func (w writer) Write(data []byte) (int, error) { return len(data), w(data) }

// heir gives the agent its own environment.
type heir struct{ shell }

func (heir) RunTurn(ctx context.Context, turn transport.Turn, emit func(transport.Event) error) (transport.Result, error) {
	var env []transport.EnvVar
	for _, entry := range os.Environ() {
		name, value, _ := strings.Cut(entry, "=")
		env = append(env, transport.EnvVar{Name: name, Value: value})
	}
	turn.Env = append(env, turn.Env...)
	return shell{}.RunTurn(ctx, turn, emit)
}

// optimist takes every turn for completed.
type optimist struct{ shell }

func (optimist) RunTurn(ctx context.Context, turn transport.Turn, emit func(transport.Event) error) (transport.Result, error) {
	result, err := shell{}.RunTurn(ctx, turn, emit)
	result.Outcome = transport.OutcomeCompleted
	return result, err
}

// keeper passes on what the agent printed when it has ended.
type keeper struct{ shell }

func (keeper) RunTurn(ctx context.Context, turn transport.Turn, emit func(transport.Event) error) (transport.Result, error) {
	var kept []transport.Event
	result, err := shell{}.RunTurn(ctx, turn, func(e transport.Event) error {
		kept = append(kept, e)
		return nil
	})
	for _, e := range kept {
		if err := emit(e); err != nil {
			return result, err
		}
	}
	return result, err
}
