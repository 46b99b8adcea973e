package pluginrpc

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	grpcstatus "google.golang.org/grpc/status"

	"github.com/crucible-engine/crucible/sdk/contract"
	"github.com/crucible-engine/crucible/sdk/contract/status"
	pluginv1 "github.com/crucible-engine/crucible/sdk/proto/crucible/plugin/v1"
)

// ExitWait is how long a lost connection waits for the news that the process
// has ended.
const ExitWait = 3 * time.Second

// Peer is the plugin's process as its host knows it. The zero value is a peer
// of which nothing is known.
type Peer struct {
	// Exited is closed when the process has ended.
	Exited <-chan struct{}
	// Err says how it ended; it is asked after Exited was closed. The error should
	// match contract.ErrUnavailable, so that the engine tries again.
	Err func() error
	// Stuck is called when a cancelled call has not ended within
	// contract.SettleTimeout, or when the connection is lost and the process lives. It is to kill the process and to return when it and
	// its children are gone.
	Stuck func()
}

// exit is the peer's error when its process has ended, waiting at most ExitWait
// for that if lost is set.
func (p Peer) exit(lost bool) error {
	if p.Exited == nil || p.Err == nil {
		return nil
	}
	select {
	case <-p.Exited:
		return p.Err()
	default:
	}
	if !lost {
		return nil
	}
	wait := time.NewTimer(ExitWait)
	defer wait.Stop()
	select {
	case <-p.Exited:
		return p.Err()
	case <-wait.C:
		return nil
	}
}

// Caller makes calls to one plugin.
type Caller struct {
	plugin pluginv1.PluginServiceClient
	peer   Peer
}

// NewCaller makes calls over conn, on which DialOptions are set.
func NewCaller(conn grpc.ClientConnInterface, peer Peer) *Caller {
	return &Caller{plugin: pluginv1.NewPluginServiceClient(conn), peer: peer}
}

// Abandoned is why the client itself ends a call that is under way.
type Abandoned struct{ Err error }

// Error is that of the cause.
func (a Abandoned) Error() string { return a.Err.Error() }

// Unwrap is the cause.
func (a Abandoned) Unwrap() error { return a.Err }

// Start begins a call: the context is to be used for it, and the function must
// be called once with what the call returned, an Abandoned if the client gives
// up first. It returns the error for the caller: nil, the error of ctx if that
// has ended, the cause of an Abandoned, the exit of the process, or a
// contract.Error. If the call was cut short it waits until the plugin has ended
// it, contract.SettleTimeout at most.
func (c *Caller) Start(ctx context.Context, op string) (context.Context, func(error) error) {
	id := rand.Text()
	inner, cancel := context.WithCancel(metadata.AppendToOutgoingContext(ctx, contract.CallIDKey, id))
	return inner, func(err error) error {
		cancel()
		if err == nil {
			return nil
		}
		awaitDeadline(ctx, err)
		var given Abandoned
		abandoned := errors.As(err, &given)
		if abandoned || ctx.Err() != nil {
			c.settle(ctx, id)
		}
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case abandoned:
			return given.Err
		default:
			return c.translate(op, err)
		}
	}
}

// awaitDeadline lets ctx notice its own deadline: the plugin's clock may have
// run a moment ahead, and its answer must not be taken for a failure.
func awaitDeadline(ctx context.Context, err error) {
	deadline, ok := ctx.Deadline()
	code := grpcstatus.Code(err)
	if !ok || code != codes.DeadlineExceeded && code != codes.Canceled || time.Until(deadline) > time.Second {
		return
	}
	<-ctx.Done()
}

// settle returns when the plugin has ended the call.
func (c *Caller) settle(ctx context.Context, id string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), contract.SettleTimeout)
	defer cancel()
	_, err := c.plugin.Settle(ctx, &pluginv1.SettleRequest{CallId: id})
	// A plugin that does not know Settle has nothing to say, and one that is gone
	// has ended all its calls.
	if ctx.Err() != nil && err != nil && c.peer.Stuck != nil {
		c.peer.Stuck()
	}
}

// translate makes an error of the contract of what gRPC returned. A client may
// have made one itself.
func (c *Caller) translate(op string, err error) error {
	if own := (*contract.Error)(nil); errors.As(err, &own) {
		return err
	}
	e, spoken := status.FromRPC(err)
	if !spoken {
		lost := e.Kind == contract.KindUnavailable
		exit := c.peer.exit(lost)
		if exit == nil && lost && c.peer.Stuck != nil {
			// A process that lives and does not answer, a stopped one for instance, is
			// of no more use than a dead one.
			c.peer.Stuck()
			exit = c.peer.exit(true)
		}
		if exit != nil {
			return fmt.Errorf("%s: %w", op, exit)
		}
	}
	if e.Op == "" {
		e.Op = op
	}
	return e
}
