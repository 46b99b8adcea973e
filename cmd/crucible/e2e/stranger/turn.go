package main

import (
	"context"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/status"

	pluginv1 "github.com/crucible-engine/crucible/sdk/proto/crucible/plugin/v1"
	transportv1 "github.com/crucible-engine/crucible/sdk/proto/crucible/transport/v1"
)

// transportService runs the command of a turn with a shell.
type transportService struct {
	transportv1.UnimplementedTransportServiceServer
	calls *calls
}

func (s *transportService) ReleaseRun(context.Context, *transportv1.ReleaseRunRequest) (*transportv1.ReleaseRunResponse, error) {
	return &transportv1.ReleaseRunResponse{}, nil
}

func (s *transportService) RunTurn(req *transportv1.RunTurnRequest, stream grpc.ServerStreamingServer[transportv1.RunTurnResponse]) error {
	if session := req.GetSession(); session != nil && session.GetAction() != transportv1.SessionAction_SESSION_ACTION_START {
		return fault(pluginv1.ErrorKind_ERROR_KIND_INVALID, "run turn", "session.action", "this transport starts sessions and never resumes one")
	}
	ctx, one, err := s.calls.begin(stream.Context(), req.GetRunId()+"/"+req.GetTurnId())
	if err != nil {
		return err
	}
	defer s.calls.end(one)
	// The call may have been cancelled before it was known: Settle has said then
	// that it has ended.
	if ctx.Err() != nil {
		return status.FromContextError(ctx.Err()).Err()
	}
	out := &events{stream: stream}
	out.send(&transportv1.RunTurnResponse{Event: &transportv1.RunTurnResponse_Started{Started: &transportv1.Started{Instance: "shell"}}})
	result, err := s.run(ctx, one, req, out)
	switch {
	case stream.Context().Err() != nil:
		return status.FromContextError(stream.Context().Err()).Err()
	case ctx.Err() != nil:
		return fault(pluginv1.ErrorKind_ERROR_KIND_UNAVAILABLE, "run turn", req.GetTurnId(), "the plugin is shutting down")
	case err != nil:
		return err
	}
	out.send(&transportv1.RunTurnResponse{Event: &transportv1.RunTurnResponse_Result{Result: result}})
	return out.err
}

// run plays the agent. When it returns no process of the agent's group is left.
func (s *transportService) run(ctx context.Context, one *call, req *transportv1.RunTurnRequest, out *events) (*transportv1.Result, error) {
	cmd := agentCommand(req.GetCommand())
	cmd.Dir, cmd.Env = req.GetWorkspace(), []string{}
	for _, v := range req.GetEnv() {
		cmd.Env = append(cmd.Env, v.GetName()+"="+string(v.GetValue()))
	}
	printed, err := listenTo(cmd)
	if err != nil {
		return nil, fault(pluginv1.ErrorKind_ERROR_KIND_UNAVAILABLE, "run turn", req.GetTurnId(), err.Error())
	}
	defer printed.close()
	var a *agent
	err = s.calls.start(one, func() (group int, err error) {
		if a, err = startAgent(cmd); err != nil {
			return 0, fault(pluginv1.ErrorKind_ERROR_KIND_UNAVAILABLE, "run turn", req.GetTurnId(), err.Error())
		}
		return a.group(), nil
	})
	if err != nil {
		return nil, err
	}
	defer s.calls.ended(one)
	printed.begin(out)
	select {
	case <-a.exited:
	case <-ctx.Done():
		a.terminate()
		select {
		case <-a.exited:
		case <-time.After(killGrace):
		}
	}
	a.kill() // whatever the agent has left behind
	<-a.exited
	printed.wait()
	result := &transportv1.Result{
		Outcome: transportv1.Outcome_OUTCOME_COMPLETED, CostSource: transportv1.CostSource_COST_SOURCE_FREE, WorkspaceSynced: true,
	}
	if code, note := a.status(); code != 0 {
		result.Outcome, result.ExitCode, result.Note = transportv1.Outcome_OUTCOME_FAILED, int32(code), note
	}
	return result, nil
}
