package transportrpc

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"google.golang.org/grpc"

	"github.com/crucible-engine/crucible/sdk/contract"
	"github.com/crucible-engine/crucible/sdk/plugin/pluginrpc"
	transportv1 "github.com/crucible-engine/crucible/sdk/proto/crucible/transport/v1"
	"github.com/crucible-engine/crucible/sdk/transport"
)

// Server serves a transport. Its errors become statuses in the interceptors of
// pluginrpc.ServerOptions.
type Server struct {
	transportv1.UnimplementedTransportServiceServer
	impl transport.Transport

	mu      sync.Mutex
	running map[[2]string]struct{} // by run and turn id
}

// NewServer serves impl.
func NewServer(impl transport.Transport) *Server {
	return &Server{impl: impl, running: map[[2]string]struct{}{}}
}

// RunTurn runs one turn. It returns when the implementation has.
func (s *Server) RunTurn(req *transportv1.RunTurnRequest, stream grpc.ServerStreamingServer[transportv1.RunTurnResponse]) error {
	turn := turnFromProto(req)
	if err := checkTurn(turn); err != nil {
		return err
	}
	release, err := s.claim(turn)
	if err != nil {
		return err
	}
	defer release()
	events := &sender{stream: stream}
	result, err := s.impl.RunTurn(stream.Context(), turn, events.emit)
	events.close()
	switch {
	case err != nil:
		return err
	// An implementation that missed the end has stopped the turn all the same.
	case stream.Context().Err() != nil:
		return stream.Context().Err()
	}
	if err := checkResult(result); err != nil {
		return err
	}
	if !events.started {
		if err := stream.Send(eventToProto(transport.Started{})); err != nil {
			return err
		}
	}
	msg := resultToProto(result)
	if err := pluginrpc.CheckMessage(contract.KindInternal, opTurn, msg); err != nil {
		return err
	}
	return stream.Send(msg)
}

// claim keeps a turn from running twice at once: a repeat after a lost reply
// must not meet the first try in the same workspace.
func (s *Server) claim(t transport.Turn) (func(), error) {
	key := [2]string{t.RunID, t.TurnID}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.running[key]; ok {
		return nil, &contract.Error{Kind: contract.KindConflict, Op: opTurn, Subject: t.TurnID, Message: "the turn is running already"}
	}
	s.running[key] = struct{}{}
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.running, key)
	}, nil
}

// ReleaseRun lets go of what is held for a run.
func (s *Server) ReleaseRun(ctx context.Context, req *transportv1.ReleaseRunRequest) (*transportv1.ReleaseRunResponse, error) {
	if err := s.impl.ReleaseRun(ctx, req.GetRunId()); err != nil {
		return nil, err
	}
	return &transportv1.ReleaseRunResponse{}, nil
}

// errClosed is the answer to an event that comes after RunTurn has returned.
var errClosed = errors.New("the turn is over")

// sender sends the events of a turn, whichever goroutine they come from.
type sender struct {
	stream grpc.ServerStreamingServer[transportv1.RunTurnResponse]

	mu      sync.Mutex
	started bool
	closed  bool
}

func (s *sender) emit(event transport.Event) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errClosed
	}
	return pass(event, &s.started, s.send)
}

func (s *sender) send(event transport.Event) error {
	msg := eventToProto(event)
	if msg == nil {
		return &contract.Error{Kind: contract.KindInternal, Op: opTurn, Message: fmt.Sprintf("a %T is no event of a turn", event)}
	}
	if err := pluginrpc.CheckMessage(contract.KindInternal, opTurn, msg); err != nil {
		return err
	}
	return s.stream.Send(msg)
}

func (s *sender) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
}
