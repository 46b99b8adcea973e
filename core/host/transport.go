package host

import (
	"context"

	"github.com/crucible-engine/crucible/sdk/plugin"
	"github.com/crucible-engine/crucible/sdk/transport"
	"github.com/crucible-engine/crucible/sdk/transport/transportrpc"
)

// Transport starts the transport with this name, unless it runs already, and
// gives a client for it. A call during which the plugin dies fails with an
// *ExitError; the next one starts the plugin again, up to three times in a run,
// and then fails with a *RestartError.
func (h *Host) Transport(ctx context.Context, name string) (transport.Transport, error) {
	s, err := h.supervisor(Ref{plugin.KindTransport, name})
	if err != nil {
		return nil, err
	}
	if _, err := s.ensure(ctx); err != nil {
		return nil, err
	}
	return &transportClient{s}, nil
}

// transportClient is a transport that survives the death of its process.
type transportClient struct{ supervisor *supervisor }

var _ transport.Transport = (*transportClient)(nil)

// RunTurn runs one turn.
func (t *transportClient) RunTurn(ctx context.Context, turn transport.Turn, emit func(transport.Event) error) (result transport.Result, err error) {
	err = t.do(ctx, func(ctx context.Context, c *transportrpc.Client) (err error) {
		result, err = c.RunTurn(ctx, turn, emit)
		return err
	})
	return result, err
}

// ReleaseRun lets go of what is held for a run. A plugin that is dead holds
// nothing, and is not started again for it.
func (t *transportClient) ReleaseRun(ctx context.Context, runID string) error {
	if !t.supervisor.running() {
		return nil
	}
	return t.do(ctx, func(ctx context.Context, c *transportrpc.Client) error { return c.ReleaseRun(ctx, runID) })
}

func (t *transportClient) do(ctx context.Context, call func(context.Context, *transportrpc.Client) error) error {
	running, err := t.supervisor.ensure(ctx)
	if err != nil {
		return err
	}
	return t.supervisor.call(ctx, running, func(ctx context.Context, s *session) error {
		return call(ctx, transportrpc.NewClient(s.conn, s.peer()))
	})
}
