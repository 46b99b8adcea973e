package worldrpc_test

import (
	"context"
	"io"
	"testing"

	"github.com/hashicorp/go-hclog"
	"google.golang.org/grpc"

	"github.com/crucible-engine/crucible/sdk/contract"
	"github.com/crucible-engine/crucible/sdk/internal/loopback"
	"github.com/crucible-engine/crucible/sdk/plugin"
	"github.com/crucible-engine/crucible/sdk/plugin/pluginrpc"
	pluginv1 "github.com/crucible-engine/crucible/sdk/proto/crucible/plugin/v1"
	worldv1 "github.com/crucible-engine/crucible/sdk/proto/crucible/world/v1"
	"github.com/crucible-engine/crucible/sdk/world"
	"github.com/crucible-engine/crucible/sdk/world/worldrpc"
)

// fake is a world made of functions; a test sets those that it expects to be called.
type fake struct {
	open     func(context.Context, world.OpenRequest, func(world.LogLine)) (world.Opened, error)
	snapshot func(context.Context, string, world.SnapshotRequest) (world.Snapshot, error)
	restore  func(ctx context.Context, id, token string) (string, error)
	apply    func(context.Context, string, []world.EnvVar, func(world.LogLine)) (world.Applied, error)
	diff     func(ctx context.Context, id, token string, limit int64, w io.Writer) (world.Diffed, error)
	read     func(ctx context.Context, id, token, path string, w io.Writer) (world.File, error)
	fork     func(context.Context, string, world.ForkRequest) (world.Forked, error)
	adopt    func(ctx context.Context, id, fork string) (world.Adopted, error)
	close    func(ctx context.Context, id string) error
}

func (f fake) Open(ctx context.Context, req world.OpenRequest, log func(world.LogLine)) (world.Opened, error) {
	return f.open(ctx, req, log)
}

func (f fake) Snapshot(ctx context.Context, id string, req world.SnapshotRequest) (world.Snapshot, error) {
	return f.snapshot(ctx, id, req)
}

func (f fake) Restore(ctx context.Context, id, token string) (string, error) {
	return f.restore(ctx, id, token)
}

func (f fake) Apply(ctx context.Context, id string, env []world.EnvVar, log func(world.LogLine)) (world.Applied, error) {
	return f.apply(ctx, id, env, log)
}

func (f fake) Diff(ctx context.Context, id, token string, limit int64, w io.Writer) (world.Diffed, error) {
	return f.diff(ctx, id, token, limit, w)
}

func (f fake) Read(ctx context.Context, id, token, path string, w io.Writer) (world.File, error) {
	return f.read(ctx, id, token, path, w)
}

func (f fake) Fork(ctx context.Context, id string, req world.ForkRequest) (world.Forked, error) {
	return f.fork(ctx, id, req)
}

func (f fake) Adopt(ctx context.Context, id, fork string) (world.Adopted, error) {
	return f.adopt(ctx, id, fork)
}

func (f fake) Close(ctx context.Context, id string) error { return f.close(ctx, id) }

// connect joins a client to a server.
func connect(t *testing.T, server worldv1.WorldServiceServer) *worldrpc.Client {
	t.Helper()
	info := plugin.Info{Kind: plugin.KindWorld, Name: "fake", Version: "1.0.0", Contract: contract.Version}
	calls := pluginrpc.NewCalls(hclog.NewNullLogger())
	conn, stop, err := loopback.Serve(calls, func(r grpc.ServiceRegistrar) {
		worldv1.RegisterWorldServiceServer(r, server)
		pluginv1.RegisterPluginServiceServer(r, pluginrpc.NewServer(info, nil, calls, hclog.NewNullLogger()))
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	return worldrpc.NewClient(conn, pluginrpc.Peer{})
}
