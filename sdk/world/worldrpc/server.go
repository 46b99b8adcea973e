package worldrpc

import (
	"context"
	"path/filepath"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	"github.com/crucible-engine/crucible/sdk/contract"
	"github.com/crucible-engine/crucible/sdk/plugin/pluginrpc"
	worldv1 "github.com/crucible-engine/crucible/sdk/proto/crucible/world/v1"
	"github.com/crucible-engine/crucible/sdk/world"
)

// Server serves a world. Its errors become statuses in the interceptors of
// pluginrpc.ServerOptions.
type Server struct {
	worldv1.UnimplementedWorldServiceServer
	impl    world.World
	writers writers
}

// NewServer serves impl.
func NewServer(impl world.World) *Server { return &Server{impl: impl} }

// answer checks what is about to be sent.
func answer[M proto.Message](op string, msg M, err error) (M, error) {
	if err == nil {
		err = pluginrpc.CheckMessage(contract.KindInternal, op, msg)
	}
	if err != nil {
		var none M
		return none, err
	}
	return msg, nil
}

// lines makes the function that takes what a command prints, whichever
// goroutine it comes from. Nobody needs to learn that a line could not be sent:
// then the context of the call has ended.
func lines(send func(*worldv1.LogLine) error) (log func(world.LogLine), stop func()) {
	var mu sync.Mutex
	stopped := false
	log = func(l world.LogLine) {
		mu.Lock()
		defer mu.Unlock()
		if !stopped {
			stopped = send(lineToProto(l)) != nil
		}
	}
	return log, func() {
		mu.Lock()
		defer mu.Unlock()
		stopped = true
	}
}

// Open prepares a workspace.
func (s *Server) Open(msg *worldv1.OpenRequest, stream grpc.ServerStreamingServer[worldv1.OpenResponse]) error {
	req := openFromProto(msg)
	if err := checkOpen(req); err != nil {
		return err
	}
	release, err := s.writers.claim(opOpen, workspaceKey(filepath.Clean(req.Workspace)))
	if err != nil {
		return err
	}
	defer release()
	log, stop := lines(func(l *worldv1.LogLine) error {
		return stream.Send(&worldv1.OpenResponse{Event: &worldv1.OpenResponse_Log{Log: l}})
	})
	opened, err := s.impl.Open(stream.Context(), req, log)
	stop()
	if err != nil {
		return err
	}
	if err := need(opOpen, "world_id", opened.WorldID); err != nil {
		return err
	}
	out, err := answer(opOpen, &worldv1.OpenResponse{Event: &worldv1.OpenResponse_Opened{Opened: openedToProto(opened)}}, nil)
	if err != nil {
		return err
	}
	return stream.Send(out)
}

// Snapshot records the present state.
func (s *Server) Snapshot(ctx context.Context, req *worldv1.SnapshotRequest) (*worldv1.SnapshotResponse, error) {
	release, err := s.writers.claim(opSnapshot, worldKey(req.GetWorldId()))
	if err != nil {
		return nil, err
	}
	defer release()
	snap, err := s.impl.Snapshot(ctx, req.GetWorldId(), world.SnapshotRequest{Label: req.GetLabel(), Base: req.GetBase()})
	if err == nil {
		err = checkSnapshot(snap)
	}
	return answer(opSnapshot, snapshotToProto(snap), err)
}

// Restore brings a recorded state back.
func (s *Server) Restore(ctx context.Context, req *worldv1.RestoreRequest) (*worldv1.RestoreResponse, error) {
	if err := checkToken(opRestore, req.GetToken()); err != nil {
		return nil, err
	}
	release, err := s.writers.claim(opRestore, worldKey(req.GetWorldId()))
	if err != nil {
		return nil, err
	}
	defer release()
	commit, err := s.impl.Restore(ctx, req.GetWorldId(), req.GetToken())
	return answer(opRestore, &worldv1.RestoreResponse{Commit: commit}, err)
}

// Apply makes the present state take effect.
func (s *Server) Apply(req *worldv1.ApplyRequest, stream grpc.ServerStreamingServer[worldv1.ApplyResponse]) error {
	env := envFromProto(req.GetEnv())
	if err := checkEnv(opApply, env); err != nil {
		return err
	}
	release, err := s.writers.claim(opApply, worldKey(req.GetWorldId()))
	if err != nil {
		return err
	}
	defer release()
	log, stop := lines(func(l *worldv1.LogLine) error {
		return stream.Send(&worldv1.ApplyResponse{Event: &worldv1.ApplyResponse_Log{Log: l}})
	})
	applied, err := s.impl.Apply(stream.Context(), req.GetWorldId(), env, log)
	stop()
	if err != nil {
		return err
	}
	out, err := answer(opApply, &worldv1.ApplyResponse{Event: &worldv1.ApplyResponse_Applied{Applied: appliedToProto(applied)}}, nil)
	if err != nil {
		return err
	}
	return stream.Send(out)
}

// Diff streams a patch.
func (s *Server) Diff(req *worldv1.DiffRequest, stream grpc.ServerStreamingServer[worldv1.DiffResponse]) error {
	if err := checkToken(opDiff, req.GetFromToken()); err != nil {
		return err
	}
	max := req.GetMaxBytes()
	if max < 0 {
		return fault(contract.KindInvalid, opDiff, "max_bytes", "%d", max)
	}
	out := &chunks{max: max, send: func(chunk []byte) error {
		return stream.Send(&worldv1.DiffResponse{Event: &worldv1.DiffResponse_Chunk{Chunk: chunk}})
	}}
	diffed, err := s.impl.Diff(stream.Context(), req.GetWorldId(), req.GetFromToken(), max, out)
	if err := out.flush(err); err != nil {
		return err
	}
	diffed.Truncated = diffed.Truncated || out.cut
	return stream.Send(&worldv1.DiffResponse{Event: &worldv1.DiffResponse_Diffed{Diffed: diffedToProto(diffed)}})
}

// Read streams a file.
func (s *Server) Read(req *worldv1.ReadRequest, stream grpc.ServerStreamingServer[worldv1.ReadResponse]) error {
	if err := checkPath(req.GetPath()); err != nil {
		return err
	}
	if err := checkToken(opRead, req.GetToken()); err != nil {
		return err
	}
	out := &chunks{send: func(chunk []byte) error {
		return stream.Send(&worldv1.ReadResponse{Event: &worldv1.ReadResponse_Chunk{Chunk: chunk}})
	}}
	file, err := s.impl.Read(stream.Context(), req.GetWorldId(), req.GetToken(), req.GetPath(), out)
	if err := out.flush(err); err != nil {
		return err
	}
	if file.Size != out.sent {
		return fault(contract.KindInternal, opRead, "size", "%d bytes were written of a file of %d", out.sent, file.Size)
	}
	return stream.Send(&worldv1.ReadResponse{Event: &worldv1.ReadResponse_File{File: fileToProto(file)}})
}

// Fork makes a disposable copy.
func (s *Server) Fork(ctx context.Context, req *worldv1.ForkRequest) (*worldv1.ForkResponse, error) {
	fork := world.ForkRequest{Token: req.GetToken(), Dir: req.GetDir(), IncludeUncommitted: req.GetIncludeUncommitted()}
	if err := checkFork(fork); err != nil {
		return nil, err
	}
	release, err := s.writers.claim(opFork, workspaceKey(filepath.Clean(fork.Dir)))
	if err != nil {
		return nil, err
	}
	defer release()
	forked, err := s.impl.Fork(ctx, req.GetWorldId(), fork)
	if err == nil {
		err = need(opFork, "world_id", forked.WorldID)
	}
	return answer(opFork, &worldv1.ForkResponse{WorldId: forked.WorldID, Workspace: forked.Workspace}, err)
}

// Adopt brings a fork's changes into its parent.
func (s *Server) Adopt(ctx context.Context, req *worldv1.AdoptRequest) (*worldv1.AdoptResponse, error) {
	release, err := s.writers.claim(opAdopt, worldKey(req.GetWorldId()), worldKey(req.GetForkId()))
	if err != nil {
		return nil, err
	}
	defer release()
	adopted, err := s.impl.Adopt(ctx, req.GetWorldId(), req.GetForkId())
	return answer(opAdopt, adoptedToProto(adopted), err)
}

// Close lets go of a world.
func (s *Server) Close(ctx context.Context, req *worldv1.CloseRequest) (*worldv1.CloseResponse, error) {
	release, err := s.writers.claim(opClose, worldKey(req.GetWorldId()))
	if err != nil {
		return nil, err
	}
	defer release()
	return answer(opClose, &worldv1.CloseResponse{}, s.impl.Close(ctx, req.GetWorldId()))
}
