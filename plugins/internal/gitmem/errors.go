package gitmem

import (
	"context"
	"errors"
	"fmt"

	"github.com/crucible-engine/crucible/sdk/contract"
)

// classify gives err the kind that crosses the plugin boundary. An error that
// has one already, and the end of a context, stay what they are.
func classify(kind contract.Kind, op, subject string, err error) error {
	if err == nil {
		return nil
	}
	if contract.KindOf(err) != contract.KindUnspecified ||
		errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return contract.NewError(kind, op, subject, err)
}

func invalid(op, subject, format string, args ...any) error {
	return contract.NewError(contract.KindInvalid, op, subject, fmt.Errorf(format, args...))
}

func notFound(op, subject, format string, args ...any) error {
	return contract.NewError(contract.KindNotFound, op, subject, fmt.Errorf(format, args...))
}

func conflict(op, subject, format string, args ...any) error {
	return contract.NewError(contract.KindConflict, op, subject, fmt.Errorf(format, args...))
}
