package host

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/crucible-engine/crucible/sdk/contract"
	"github.com/crucible-engine/crucible/sdk/plugin"
	"github.com/crucible-engine/crucible/sdk/world"
	"github.com/crucible-engine/crucible/sdk/world/worldrpc"
)

// World starts the world with this name, unless it runs already, and gives a
// client for it. When the plugin dies, the worlds that it had open are lost: the
// call at hand and every later one on such a world fail with a *WorldLostError.
// Open starts the plugin again, up to three times in a run; with Attach it gives
// a new world on the same workspace, to which the tokens recorded so far still
// belong.
func (h *Host) World(ctx context.Context, name string) (world.World, error) {
	s, err := h.supervisor(Ref{plugin.KindWorld, name})
	if err != nil {
		return nil, err
	}
	if _, err := s.ensure(ctx); err != nil {
		return nil, err
	}
	return &worldClient{s}, nil
}

// worldClient is a world that knows which process a world was opened in: the
// number of the process goes before each world id that it gives out.
type worldClient struct{ supervisor *supervisor }

var _ world.World = (*worldClient)(nil)

// Open prepares a workspace.
func (w *worldClient) Open(ctx context.Context, req world.OpenRequest, log func(world.LogLine)) (opened world.Opened, err error) {
	running, err := w.supervisor.ensure(ctx)
	if err != nil {
		return world.Opened{}, err
	}
	err = w.supervisor.call(ctx, running, func(ctx context.Context, s *session) (err error) {
		opened, err = worldrpc.NewClient(s.conn, s.peer()).Open(ctx, req, log)
		return err
	})
	opened.WorldID = numbered(running.number, opened.WorldID)
	return opened, err
}

// Snapshot records the present state.
func (w *worldClient) Snapshot(ctx context.Context, worldID string, req world.SnapshotRequest) (snapshot world.Snapshot, err error) {
	err = w.do(ctx, worldID, func(ctx context.Context, c *worldrpc.Client, id string) (err error) {
		snapshot, err = c.Snapshot(ctx, id, req)
		return err
	})
	return snapshot, err
}

// Restore brings a recorded state back.
func (w *worldClient) Restore(ctx context.Context, worldID, token string) (commit string, err error) {
	err = w.do(ctx, worldID, func(ctx context.Context, c *worldrpc.Client, id string) (err error) {
		commit, err = c.Restore(ctx, id, token)
		return err
	})
	return commit, err
}

// Apply makes the present state take effect.
func (w *worldClient) Apply(ctx context.Context, worldID string, env []world.EnvVar, log func(world.LogLine)) (applied world.Applied, err error) {
	err = w.do(ctx, worldID, func(ctx context.Context, c *worldrpc.Client, id string) (err error) {
		applied, err = c.Apply(ctx, id, env, log)
		return err
	})
	return applied, err
}

// Diff writes a patch.
func (w *worldClient) Diff(ctx context.Context, worldID, fromToken string, max int64, to io.Writer) (diffed world.Diffed, err error) {
	err = w.do(ctx, worldID, func(ctx context.Context, c *worldrpc.Client, id string) (err error) {
		diffed, err = c.Diff(ctx, id, fromToken, max, to)
		return err
	})
	return diffed, err
}

// Read writes one file of a recorded state.
func (w *worldClient) Read(ctx context.Context, worldID, token, path string, to io.Writer) (file world.File, err error) {
	err = w.do(ctx, worldID, func(ctx context.Context, c *worldrpc.Client, id string) (err error) {
		file, err = c.Read(ctx, id, token, path, to)
		return err
	})
	return file, err
}

// Fork makes a disposable copy of a recorded state.
func (w *worldClient) Fork(ctx context.Context, worldID string, req world.ForkRequest) (forked world.Forked, err error) {
	err = w.do(ctx, worldID, func(ctx context.Context, c *worldrpc.Client, id string) (err error) {
		forked, err = c.Fork(ctx, id, req)
		return err
	})
	number, _, _ := parseNumbered(worldID)
	forked.WorldID = numbered(number, forked.WorldID)
	return forked, err
}

// Adopt brings what changed in a fork into its parent.
func (w *worldClient) Adopt(ctx context.Context, worldID, forkID string) (adopted world.Adopted, err error) {
	parent, _, _ := parseNumbered(worldID)
	number, fork, err := parseNumbered(forkID)
	if err != nil {
		return world.Adopted{}, err
	}
	if number != parent {
		return world.Adopted{}, &WorldLostError{Plugin: w.supervisor.ref, WorldID: forkID}
	}
	err = w.do(ctx, worldID, func(ctx context.Context, c *worldrpc.Client, id string) (err error) {
		adopted, err = c.Adopt(ctx, id, fork)
		return err
	})
	return adopted, err
}

// Close lets go of a world.
func (w *worldClient) Close(ctx context.Context, worldID string) error {
	return w.do(ctx, worldID, func(ctx context.Context, c *worldrpc.Client, id string) error { return c.Close(ctx, id) })
}

// do makes a call to the process that a world was opened in. It never starts
// another one.
func (w *worldClient) do(ctx context.Context, worldID string, call func(context.Context, *worldrpc.Client, string) error) error {
	number, id, err := parseNumbered(worldID)
	if err != nil {
		return err
	}
	running, ended := w.supervisor.holding(number)
	if errors.Is(ended, ErrClosed) {
		return ErrClosed
	}
	if running == nil {
		return &WorldLostError{Plugin: w.supervisor.ref, WorldID: worldID, Err: ended}
	}
	err = w.supervisor.call(ctx, running, func(ctx context.Context, s *session) error {
		return call(ctx, worldrpc.NewClient(s.conn, s.peer()), id)
	})
	var exit *ExitError
	if errors.As(err, &exit) {
		return &WorldLostError{Plugin: w.supervisor.ref, WorldID: worldID, Err: err}
	}
	return err
}

// numbered is a world id as the engine sees it; none stays none.
func numbered(number int, id string) string {
	if id == "" {
		return ""
	}
	return strconv.Itoa(number) + "." + id
}

func parseNumbered(worldID string) (number int, id string, err error) {
	before, id, ok := strings.Cut(worldID, ".")
	number, err = strconv.Atoi(before)
	if !ok || err != nil {
		return 0, "", &contract.Error{Kind: contract.KindNotFound, Op: "find world", Subject: worldID, Message: fmt.Sprintf("%.100q is no id of a world", worldID)}
	}
	return number, id, nil
}
