// Package transport is the interface between the engine and the place where an
// agent's turn runs, with the values that cross it. It has no gRPC in it; the
// adapters are in package transportrpc.
//
// Nothing of the judge can be expressed here: a transport is never handed what
// measures the agent's work (C-TRANSPORT).
package transport

import "context"

// Transport runs agent turns.
type Transport interface {
	// RunTurn runs one turn and returns when it is over, no process of it is
	// left and the workspace is either complete or as it was before. Events are
	// passed to emit in order, one at a time; an error of emit means that nobody
	// listens any more, and the turn is to be stopped.
	//
	// A turn that ran and failed is a Result with OutcomeFailed. An error means
	// that the transport broke: contract.ErrUnavailable is tried again. When ctx
	// ends the turn is stopped and ctx.Err() returned.
	RunTurn(ctx context.Context, turn Turn, emit func(Event) error) (Result, error)
	// ReleaseRun lets go of what is held for a run. It is safe to repeat.
	ReleaseRun(ctx context.Context, runID string) error
}

// Features a transport may have; Info.Features lists them.
const (
	FeatureSessions      = "session.persist" // conversations survive a turn
	FeatureSandbox       = "sandbox"         // the turn runs in a sandbox
	FeatureEgress        = "egress.enforce"  // the egress list is enforced
	FeatureRelay         = "relay"           // relays are materialised
	FeatureBroker        = "broker.reach"    // the broker can be reached from a turn
	FeatureParallelTurns = "turns.parallel"  // several turns at once
)
