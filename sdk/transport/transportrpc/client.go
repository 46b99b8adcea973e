package transportrpc

import (
	"context"
	"errors"
	"io"

	"google.golang.org/grpc"

	"github.com/crucible-engine/crucible/sdk/contract"
	"github.com/crucible-engine/crucible/sdk/plugin/pluginrpc"
	transportv1 "github.com/crucible-engine/crucible/sdk/proto/crucible/transport/v1"
	"github.com/crucible-engine/crucible/sdk/transport"
)

// Client is a transport that lives in another process. A call whose context
// ends returns when the plugin has ended it, contract.SettleTimeout later at most.
type Client struct {
	caller *pluginrpc.Caller
	rpc    transportv1.TransportServiceClient
}

var _ transport.Transport = (*Client)(nil)

// NewClient makes a client over conn, on which pluginrpc.DialOptions are set.
func NewClient(conn grpc.ClientConnInterface, peer pluginrpc.Peer) *Client {
	return &Client{caller: pluginrpc.NewCaller(conn, peer), rpc: transportv1.NewTransportServiceClient(conn)}
}

// RunTurn runs one turn. The first event is always a transport.Started. A turn
// that is over a limit is contract.ErrInvalid before anything is sent.
func (c *Client) RunTurn(ctx context.Context, turn transport.Turn, emit func(transport.Event) error) (transport.Result, error) {
	if err := checkTurn(turn); err != nil {
		return transport.Result{}, err
	}
	req := turnToProto(turn)
	if err := pluginrpc.CheckMessage(contract.KindInvalid, opTurn, req); err != nil {
		return transport.Result{}, err
	}
	ctx, end := c.caller.Start(ctx, opTurn)
	stream, err := c.rpc.RunTurn(ctx, req)
	if err != nil {
		return transport.Result{}, end(err)
	}
	result, err := receive(stream, emit)
	if err := end(err); err != nil {
		return transport.Result{}, err
	}
	return result, nil
}

// receive passes the events of a turn on, up to the end of the stream.
func receive(stream grpc.ServerStreamingClient[transportv1.RunTurnResponse], emit func(transport.Event) error) (transport.Result, error) {
	var result *transport.Result
	started := false
	for {
		msg, err := stream.Recv()
		switch {
		case errors.Is(err, io.EOF) && result == nil:
			return transport.Result{}, &contract.Error{Kind: contract.KindUnavailable, Op: opTurn, Message: "the stream ended without a result"}
		case errors.Is(err, io.EOF):
			return *result, nil
		case err != nil:
			return transport.Result{}, err
		case result != nil:
			return transport.Result{}, misbehaved("the plugin sent more after the result")
		}
		if last, ok := msg.GetEvent().(*transportv1.RunTurnResponse_Result); ok {
			r := resultFromProto(last.Result)
			if err := checkResult(r); err != nil {
				return transport.Result{}, pluginrpc.Abandoned{Err: err}
			}
			result = &r
			continue
		}
		if err := pass(eventFromProto(msg), &started, emit); err != nil {
			return transport.Result{}, pluginrpc.Abandoned{Err: err}
		}
	}
}

// pass hands one event on, with a transport.Started before the first of them
// and no second one after it.
func pass(event transport.Event, started *bool, emit func(transport.Event) error) error {
	_, isStart := event.(transport.Started)
	switch {
	case event == nil, isStart && *started:
		return nil
	case !isStart && !*started:
		if err := emit(transport.Started{}); err != nil {
			return err
		}
	}
	*started = true
	return emit(bound(event))
}

// misbehaved ends a call whose plugin does not keep to the order of a turn.
func misbehaved(message string) error {
	return pluginrpc.Abandoned{Err: &contract.Error{Kind: contract.KindInternal, Op: opTurn, Message: message}}
}

// ReleaseRun lets go of what is held for a run.
func (c *Client) ReleaseRun(ctx context.Context, runID string) error {
	req := &transportv1.ReleaseRunRequest{RunId: runID}
	if err := pluginrpc.CheckMessage(contract.KindInvalid, "release run", req); err != nil {
		return err
	}
	ctx, end := c.caller.Start(ctx, "release run")
	_, err := c.rpc.ReleaseRun(ctx, req)
	return end(err)
}
