package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"google.golang.org/grpc/codes"

	pluginv1 "github.com/crucible-engine/crucible/sdk/proto/crucible/plugin/v1"
	transportv1 "github.com/crucible-engine/crucible/sdk/proto/crucible/transport/v1"
)

// maxLine is the contract's limit on a line of output.
const maxLine = 1 << 20

type transportService struct {
	transportv1.UnimplementedTransportServiceServer
	turns *turns
}

func (*transportService) ReleaseRun(context.Context, *transportv1.ReleaseRunRequest) (*transportv1.ReleaseRunResponse, error) {
	return &transportv1.ReleaseRunResponse{}, nil
}

func (t *transportService) RunTurn(req *transportv1.RunTurnRequest, stream transportv1.TransportService_RunTurnServer) error {
	if s := req.Session; s != nil && s.Action == transportv1.SessionAction_SESSION_ACTION_UNSPECIFIED || s.GetAction() > transportv1.SessionAction_SESSION_ACTION_RESUME {
		return fault(codes.InvalidArgument, pluginv1.ErrorKind_ERROR_KIND_INVALID, "run turn", "want start or resume", "session.action")
	}
	ctx, done, err := t.turns.begin(stream.Context(), req.RunId+"/"+req.TurnId)
	if err != nil {
		return err
	}
	defer done()
	var sending sync.Mutex
	send := func(r *transportv1.RunTurnResponse) error {
		sending.Lock()
		defer sending.Unlock()
		return stream.Send(r)
	}
	if err := send(&transportv1.RunTurnResponse{Event: &transportv1.RunTurnResponse_Started{Started: &transportv1.Started{Instance: "sh"}}}); err != nil {
		return err
	}
	code, err := run(ctx, req, func(which transportv1.Stream, line []byte, cut bool) error {
		return send(&transportv1.RunTurnResponse{Event: &transportv1.RunTurnResponse_Output{
			Output: &transportv1.Output{Stream: which, Line: line, Truncated: cut},
		}})
	})
	if err := errors.Join(ctx.Err(), err); err != nil {
		return fault(codes.Unavailable, pluginv1.ErrorKind_ERROR_KIND_UNAVAILABLE, "run turn", err.Error(), "")
	}
	result := &transportv1.Result{
		Outcome: transportv1.Outcome_OUTCOME_COMPLETED, ExitCode: int32(code),
		CostSource: transportv1.CostSource_COST_SOURCE_FREE, WorkspaceSynced: true,
	}
	if code != 0 {
		result.Outcome = transportv1.Outcome_OUTCOME_FAILED
	}
	if req.Session != nil {
		result.Cursor = []byte(req.Session.Name)
	}
	return send(&transportv1.RunTurnResponse{Event: &transportv1.RunTurnResponse_Result{Result: result}})
}

// run runs the turn's command in a group of its own, which is killed when the
// command ends, or ctx does.
func run(ctx context.Context, req *transportv1.RunTurnRequest, line func(transportv1.Stream, []byte, bool) error) (int, error) {
	cmd := exec.Command("/bin/sh", "-c", req.Command)
	cmd.Dir, cmd.Env = req.Workspace, []string{}
	for _, v := range req.Env {
		cmd.Env = append(cmd.Env, v.Name+"="+string(v.Value))
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 0, err
	}
	errs, err := cmd.StderrPipe()
	if err != nil {
		return 0, err
	}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	kill := func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	defer context.AfterFunc(ctx, kill)()
	var readers sync.WaitGroup
	var mu sync.Mutex
	var failed error
	for which, r := range map[transportv1.Stream]io.Reader{transportv1.Stream_STREAM_STDOUT: out, transportv1.Stream_STREAM_STDERR: errs} {
		readers.Go(func() {
			err := lines(r, func(text []byte, cut bool) error { return line(which, text, cut) })
			if err != nil {
				kill()
				mu.Lock()
				failed = err
				mu.Unlock()
			}
		})
	}
	state, err := cmd.Process.Wait()
	kill() // what the command has left behind
	ended := make(chan struct{})
	go func() { readers.Wait(); close(ended) }()
	select {
	case <-ended:
	case <-time.After(300 * time.Millisecond): // somebody outside the group holds the pipes
		out.Close()
		errs.Close()
		<-ended
	}
	if err != nil {
		return 0, err
	}
	return state.ExitCode(), failed
}

// lines reads lines; what is over maxLine of one is discarded.
func lines(r io.Reader, take func(line []byte, cut bool) error) error {
	in := bufio.NewReaderSize(r, 64<<10)
	var line []byte
	cut := false
	for {
		part, err := in.ReadSlice('\n')
		ended := err == nil
		if ended {
			part = part[:len(part)-1]
			if n := len(part); n > 0 && part[n-1] == '\r' {
				part = part[:n-1]
			}
		}
		if room := maxLine - len(line); len(part) > room {
			part, cut = part[:room], true
		}
		line = append(line, part...)
		if err == nil || err != bufio.ErrBufferFull && len(line) > 0 {
			if err := take(line, cut); err != nil {
				return err
			}
			line, cut = nil, false
		}
		if err != nil && err != bufio.ErrBufferFull {
			return nil // the end, or the pipe was closed
		}
	}
}
