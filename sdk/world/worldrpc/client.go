package worldrpc

import (
	"context"
	"io"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	"github.com/crucible-engine/crucible/sdk/contract"
	"github.com/crucible-engine/crucible/sdk/plugin/pluginrpc"
	worldv1 "github.com/crucible-engine/crucible/sdk/proto/crucible/world/v1"
	"github.com/crucible-engine/crucible/sdk/world"
)

// Client is a world that lives in another process. A call whose context ends
// returns when the plugin has ended it, contract.SettleTimeout later at most.
type Client struct {
	caller *pluginrpc.Caller
	rpc    worldv1.WorldServiceClient
}

var _ world.World = (*Client)(nil)

// NewClient makes a client over conn, on which pluginrpc.DialOptions are set.
func NewClient(conn grpc.ClientConnInterface, peer pluginrpc.Peer) *Client {
	return &Client{caller: pluginrpc.NewCaller(conn, peer), rpc: worldv1.NewWorldServiceClient(conn)}
}

// unary checks a request, sends it and waits for the answer.
func unary[Q, A proto.Message](ctx context.Context, c *Client, op string, req Q, call func(context.Context, Q, ...grpc.CallOption) (A, error)) (A, error) {
	var none A
	if err := pluginrpc.CheckMessage(contract.KindInvalid, op, req); err != nil {
		return none, err
	}
	ctx, end := c.caller.Start(ctx, op)
	resp, err := call(ctx, req)
	if err := end(err); err != nil {
		return none, err
	}
	return resp, nil
}

// streamed does the same for an answer in many messages.
func streamed[M any, Q proto.Message](ctx context.Context, c *Client, op string, req Q,
	call func(context.Context, Q, ...grpc.CallOption) (grpc.ServerStreamingClient[M], error), take receiver[M]) error {
	if err := pluginrpc.CheckMessage(contract.KindInvalid, op, req); err != nil {
		return err
	}
	ctx, end := c.caller.Start(ctx, op)
	stream, err := call(ctx, req)
	if err != nil {
		return end(err)
	}
	return end(receive(op, stream, take))
}

// Open prepares the workspace.
func (c *Client) Open(ctx context.Context, req world.OpenRequest, log func(world.LogLine)) (world.Opened, error) {
	if err := checkOpen(req); err != nil {
		return world.Opened{}, err
	}
	var opened world.Opened
	err := streamed(ctx, c, opOpen, openToProto(req), c.rpc.Open, func(msg *worldv1.OpenResponse) (bool, error) {
		switch e := msg.GetEvent().(type) {
		case *worldv1.OpenResponse_Log:
			log(lineFromProto(e.Log))
		case *worldv1.OpenResponse_Opened:
			opened = openedFromProto(e.Opened)
			return true, need(opOpen, "world_id", opened.WorldID)
		}
		return false, nil
	})
	if err != nil {
		return world.Opened{}, err
	}
	return opened, nil
}

// Snapshot records the present state.
func (c *Client) Snapshot(ctx context.Context, worldID string, req world.SnapshotRequest) (world.Snapshot, error) {
	resp, err := unary(ctx, c, opSnapshot, &worldv1.SnapshotRequest{WorldId: worldID, Label: text(req.Label), Base: req.Base}, c.rpc.Snapshot)
	if err != nil {
		return world.Snapshot{}, err
	}
	snap := snapshotFromProto(resp)
	return snap, checkSnapshot(snap)
}

// Restore brings a recorded state back.
func (c *Client) Restore(ctx context.Context, worldID, token string) (string, error) {
	if err := checkToken(opRestore, token); err != nil {
		return "", err
	}
	resp, err := unary(ctx, c, opRestore, &worldv1.RestoreRequest{WorldId: worldID, Token: token}, c.rpc.Restore)
	return resp.GetCommit(), err
}

// Apply makes the present state take effect.
func (c *Client) Apply(ctx context.Context, worldID string, env []world.EnvVar, log func(world.LogLine)) (world.Applied, error) {
	if err := checkEnv(opApply, env); err != nil {
		return world.Applied{}, err
	}
	var applied world.Applied
	req := &worldv1.ApplyRequest{WorldId: worldID, Env: envToProto(env)}
	err := streamed(ctx, c, opApply, req, c.rpc.Apply, func(msg *worldv1.ApplyResponse) (bool, error) {
		switch e := msg.GetEvent().(type) {
		case *worldv1.ApplyResponse_Log:
			log(lineFromProto(e.Log))
		case *worldv1.ApplyResponse_Applied:
			applied = appliedFromProto(e.Applied)
			return true, nil
		}
		return false, nil
	})
	if err != nil {
		return world.Applied{}, err
	}
	return applied, nil
}

// Diff writes a patch to w.
func (c *Client) Diff(ctx context.Context, worldID, fromToken string, max int64, w io.Writer) (world.Diffed, error) {
	if err := checkToken(opDiff, fromToken); err != nil {
		return world.Diffed{}, err
	}
	var diffed world.Diffed
	var total int64
	req := &worldv1.DiffRequest{WorldId: worldID, FromToken: fromToken, MaxBytes: max}
	err := streamed(ctx, c, opDiff, req, c.rpc.Diff, func(msg *worldv1.DiffResponse) (bool, error) {
		switch e := msg.GetEvent().(type) {
		case *worldv1.DiffResponse_Chunk:
			return false, write(opDiff, w, e.Chunk, &total, max)
		case *worldv1.DiffResponse_Diffed:
			diffed = diffedFromProto(e.Diffed)
			return true, nil
		}
		return false, nil
	})
	if err != nil {
		return world.Diffed{}, err
	}
	return diffed, nil
}

// Read writes one file of a recorded state to w. A failed read may have written
// a part of it.
func (c *Client) Read(ctx context.Context, worldID, token, path string, w io.Writer) (world.File, error) {
	if err := checkPath(path); err != nil {
		return world.File{}, err
	}
	if err := checkToken(opRead, token); err != nil {
		return world.File{}, err
	}
	var file world.File
	var total int64
	req := &worldv1.ReadRequest{WorldId: worldID, Token: token, Path: path}
	err := streamed(ctx, c, opRead, req, c.rpc.Read, func(msg *worldv1.ReadResponse) (bool, error) {
		switch e := msg.GetEvent().(type) {
		case *worldv1.ReadResponse_Chunk:
			return false, write(opRead, w, e.Chunk, &total, 0)
		case *worldv1.ReadResponse_File:
			if file = fileFromProto(e.File); file.Size != total {
				return true, fault(contract.KindInternal, opRead, "size", "the plugin sent %d bytes of a file of %d", total, file.Size)
			}
			return true, nil
		}
		return false, nil
	})
	if err != nil {
		return world.File{}, err
	}
	return file, nil
}

// Fork makes a disposable copy.
func (c *Client) Fork(ctx context.Context, worldID string, req world.ForkRequest) (world.Forked, error) {
	if err := checkFork(req); err != nil {
		return world.Forked{}, err
	}
	resp, err := unary(ctx, c, opFork, &worldv1.ForkRequest{
		WorldId: worldID, Token: req.Token, Dir: req.Dir, IncludeUncommitted: req.IncludeUncommitted,
	}, c.rpc.Fork)
	if err != nil {
		return world.Forked{}, err
	}
	forked := world.Forked{WorldID: resp.GetWorldId(), Workspace: resp.GetWorkspace()}
	return forked, need(opFork, "world_id", forked.WorldID)
}

// Adopt brings a fork's changes into its parent.
func (c *Client) Adopt(ctx context.Context, worldID, forkID string) (world.Adopted, error) {
	resp, err := unary(ctx, c, opAdopt, &worldv1.AdoptRequest{WorldId: worldID, ForkId: forkID}, c.rpc.Adopt)
	return adoptedFromProto(resp), err
}

// Close lets go of a world.
func (c *Client) Close(ctx context.Context, worldID string) error {
	_, err := unary(ctx, c, opClose, &worldv1.CloseRequest{WorldId: worldID}, c.rpc.Close)
	return err
}
