package worldrpc_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"google.golang.org/grpc"

	"github.com/crucible-engine/crucible/sdk/contract"
	worldv1 "github.com/crucible-engine/crucible/sdk/proto/crucible/world/v1"
	"github.com/crucible-engine/crucible/sdk/world"
	"github.com/crucible-engine/crucible/sdk/world/worldrpc"
)

// TestRefusedRequests: none of them reaches the world, which would panic.
func TestRefusedRequests(t *testing.T) {
	t.Parallel()
	server := worldrpc.NewServer(fake{})
	client := connect(t, server)
	ctx := t.Context()
	ignore := func(world.LogLine) {}
	for field, change := range map[string]func(*world.OpenRequest){
		"workspace":    func(r *world.OpenRequest) { r.Workspace = "w" },
		"manifest_dir": func(r *world.OpenRequest) { r.ManifestDir = "" },
		"source":       func(r *world.OpenRequest) { r.Source = &world.Source{} },
		"source.path":  func(r *world.OpenRequest) { r.Source = &world.Source{Path: "r"} },
		"commands":     func(r *world.OpenRequest) { r.Commands.ApplyTimeout = -1 },
		"exclude[1]":   func(r *world.OpenRequest) { r.Exclude = []string{"a", "../b"} },
		"env[0]":       func(r *world.OpenRequest) { r.Env = []world.EnvVar{{Name: "A=SECRET", Value: "SECRET"}} },
		"source.ref":   func(r *world.OpenRequest) { r.Source = &world.Source{Path: "/r", Ref: "\xff"} },
	} {
		bad := wantOpen
		change(&bad)
		_, err := client.Open(ctx, bad, ignore)
		refused(t, field, err)
	}
	long := strings.Repeat("t", contract.MaxToken+1)
	for _, token := range []string{"", long} {
		_, err := client.Restore(ctx, "w", token)
		refused(t, "token", err)
		_, err = client.Diff(ctx, "w", token, 0, io.Discard)
		refused(t, "token", err)
		_, err = client.Read(ctx, "w", token, "p", io.Discard)
		refused(t, "token", err)
		_, err = client.Fork(ctx, "w", world.ForkRequest{Token: token, Dir: "/d"})
		refused(t, "token", err)
	}
	_, err := client.Fork(ctx, "w", world.ForkRequest{Token: "t", Dir: "d"})
	refused(t, "dir", err)
	_, err = client.Apply(ctx, "w", []world.EnvVar{{Name: "A", Value: "SECRET\x00"}}, ignore)
	refused(t, "env[0]", err)
	_, err = client.Diff(ctx, "w", "t", -1, io.Discard)
	refused(t, "max_bytes", err)
	for _, path := range []string{"", ".", "/etc/passwd", "../a", "a/../../b", "a\x00", "a//b"} {
		if _, err := client.Read(ctx, "w", "t", path, io.Discard); !errors.Is(err, contract.ErrNotFound) {
			t.Errorf("path %q: got %v", path, err)
		}
	}
	// A peer without our client is held to the same.
	if _, err := server.Restore(ctx, &worldv1.RestoreRequest{WorldId: "w", Token: long}); !errors.Is(err, contract.ErrInvalid) {
		t.Errorf("server: got %v", err)
	}
}

// refused wants an error about a field that does not show its value.
func refused(t *testing.T, field string, err error) {
	t.Helper()
	var e *contract.Error
	if !errors.As(err, &e) || e.Kind != contract.KindInvalid || e.Subject != field {
		t.Errorf("%s: got %#v", field, err)
	}
	if err != nil && strings.Contains(err.Error(), "SECRET") {
		t.Errorf("%s: the error shows the value: %.200v", field, err)
	}
}

func TestRefusedAnswers(t *testing.T) {
	t.Parallel()
	for name, snap := range map[string]world.Snapshot{
		"none": {}, "long": {Token: strings.Repeat("t", contract.MaxToken+1)}, "no text": {Token: "\xff"}, "commit": {Token: "t", Commit: "\xff"},
	} {
		client := connect(t, worldrpc.NewServer(fake{
			snapshot: func(context.Context, string, world.SnapshotRequest) (world.Snapshot, error) { return snap, nil },
		}))
		_, err := client.Snapshot(t.Context(), "w", world.SnapshotRequest{})
		is(t, name, err, contract.ErrInternal)
	}
	client := connect(t, worldrpc.NewServer(fake{
		open: func(context.Context, world.OpenRequest, func(world.LogLine)) (world.Opened, error) {
			return world.Opened{}, nil
		},
		fork: func(context.Context, string, world.ForkRequest) (world.Forked, error) { return world.Forked{}, nil },
	}))
	_, err := client.Open(t.Context(), wantOpen, func(world.LogLine) {})
	is(t, "open", err, contract.ErrInternal)
	_, err = client.Fork(t.Context(), "w", world.ForkRequest{Token: "t", Dir: "/d"})
	is(t, "fork", err, contract.ErrInternal)
}

// raw is a server that sends what it likes.
type raw struct {
	worldv1.UnimplementedWorldServiceServer
	read []*worldv1.ReadResponse
	diff []*worldv1.DiffResponse
}

func (r raw) Read(_ *worldv1.ReadRequest, s grpc.ServerStreamingServer[worldv1.ReadResponse]) error {
	return sendAll(s, r.read)
}

func (r raw) Diff(_ *worldv1.DiffRequest, s grpc.ServerStreamingServer[worldv1.DiffResponse]) error {
	return sendAll(s, r.diff)
}

func sendAll[M any](s grpc.ServerStreamingServer[M], messages []*M) error {
	for _, m := range messages {
		if err := s.Send(m); err != nil {
			return err
		}
	}
	return nil
}

// TestMisbehavingPlugin holds the client against servers that are not ours.
func TestMisbehavingPlugin(t *testing.T) {
	t.Parallel()
	chunk := func(n int) *worldv1.ReadResponse {
		return &worldv1.ReadResponse{Event: &worldv1.ReadResponse_Chunk{Chunk: make([]byte, n)}}
	}
	file := func(size int64) *worldv1.ReadResponse {
		return &worldv1.ReadResponse{Event: &worldv1.ReadResponse_File{File: &worldv1.File{Size: size}}}
	}
	for name, test := range map[string]struct {
		messages []*worldv1.ReadResponse
		want     error
	}{
		"nothing":        {nil, contract.ErrUnavailable},
		"no answer":      {[]*worldv1.ReadResponse{chunk(3)}, contract.ErrUnavailable},
		"other size":     {[]*worldv1.ReadResponse{chunk(3), file(4)}, contract.ErrInternal},
		"two answers":    {[]*worldv1.ReadResponse{chunk(3), file(3), file(3)}, contract.ErrInternal},
		"after answer":   {[]*worldv1.ReadResponse{file(0), chunk(3)}, contract.ErrInternal},
		"long chunk":     {[]*worldv1.ReadResponse{chunk(contract.MaxChunk + 1), file(contract.MaxChunk + 1)}, contract.ErrInternal},
		"unknown event":  {[]*worldv1.ReadResponse{{}, chunk(3), file(3)}, nil},
		"empty file":     {[]*worldv1.ReadResponse{file(0)}, nil},
		"longest chunks": {[]*worldv1.ReadResponse{chunk(contract.MaxChunk), chunk(contract.MaxChunk), file(2 * contract.MaxChunk)}, nil},
	} {
		_, err := connect(t, raw{read: test.messages}).Read(t.Context(), "w", "t", "p", io.Discard)
		is(t, name, err, test.want)
	}
	more := raw{diff: []*worldv1.DiffResponse{{Event: &worldv1.DiffResponse_Chunk{Chunk: make([]byte, 8)}}}}
	_, err := connect(t, more).Diff(t.Context(), "w", "t", 7, io.Discard)
	is(t, "more than was wanted", err, contract.ErrInternal)
	_, err = connect(t, raw{}).Snapshot(t.Context(), "w", world.SnapshotRequest{})
	is(t, "a call that it does not have", err, contract.ErrUnsupported)
}
