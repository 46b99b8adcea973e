package host

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/crucible-engine/crucible/sdk/contract"
	"github.com/crucible-engine/crucible/sdk/plugin"
)

// explain finds out why a start failed. go-plugin's own words come last: it sees
// only that the connection did not come about. The session has ended.
func (s *session) explain(ctx context.Context, err error) error {
	var trust *TrustError
	var version *VersionError
	var start *StartError
	var protocol *protocolError
	fault := s.process.handshake.fault()
	exit, byItself, _ := s.process.status()
	switch {
	case errors.As(err, &trust), errors.As(err, &version), errors.As(err, &start):
		return err
	case errors.As(fault, &protocol):
		return &VersionError{
			Ref: s.ref, Path: s.image.path, Contract: contractOf(protocol.theirs), Engine: contract.Version,
			Newer: protocol.theirs > contract.Protocol(),
		}
	case fault != nil:
		return s.startError(fault)
	case ctx.Err() != nil:
		return s.startError(context.Cause(ctx))
	case byItself:
		return s.startError(fmt.Errorf("it ended before it was ready: %s", exit))
	default:
		return s.startError(err)
	}
}

func (s *session) startError(err error) error {
	return &StartError{Ref: s.ref, Path: s.image.path, Err: err, Tail: s.tail.String()}
}

// checkContract compares what the handshake settled with what the plugin says.
func (s *session) checkContract() error { return checkContract(s.image, s.info) }

func checkContract(im *image, info plugin.Info) error {
	theirs, err := contract.ParseSemver(info.Contract)
	if err != nil {
		return err
	}
	if slices.Contains(protocols(), theirs.Protocol()) {
		return nil
	}
	return &VersionError{
		Ref: im.ref, Path: im.path, Plugin: info.Version, Contract: info.Contract, Engine: contract.Version,
		Newer: theirs.Protocol() > contract.Protocol(),
	}
}

// contractOf says which contracts have a protocol number: "0.3" or "2"; see
// contract.Semver.Protocol.
func contractOf(protocol int) string {
	const perMajor = 1000
	if protocol < perMajor {
		return fmt.Sprintf("0.%d", protocol)
	}
	return strconv.Itoa(protocol / perMajor)
}
