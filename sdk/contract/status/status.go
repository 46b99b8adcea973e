// Package status maps the errors of the contract to gRPC statuses and back. It
// is the only place that knows the table, so that the two ends cannot disagree.
package status

import (
	"context"
	"errors"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/crucible-engine/crucible/sdk/contract"
	pluginv1 "github.com/crucible-engine/crucible/sdk/proto/crucible/plugin/v1"
)

// Texts ride in HTTP headers, which have little room.
const (
	maxMessage = 4 << 10 // bytes of a message
	maxWord    = 1 << 10 // bytes of an operation or a subject
)

// ToRPC makes err fit to be returned by a gRPC handler: a status with one
// ErrorDetail. The end of a context keeps its own code; an error that says
// nothing about its kind is a fault of the plugin, KindInternal. Texts are cut
// to what a header can hold and cleaned of what is not UTF-8.
func ToRPC(err error) error {
	switch {
	case err == nil || detailed(err):
		return err
	case contract.KindOf(err) == contract.KindUnspecified && errors.Is(err, context.Canceled):
		return status.Error(codes.Canceled, context.Canceled.Error())
	case contract.KindOf(err) == contract.KindUnspecified && errors.Is(err, context.DeadlineExceeded):
		return status.Error(codes.DeadlineExceeded, context.DeadlineExceeded.Error())
	}
	e := flatten(err)
	detail := &pluginv1.ErrorDetail{
		Kind:    pluginv1.ErrorKind(e.Kind),
		Op:      clean(e.Op, maxWord),
		Message: clean(e.Message, maxMessage),
		Subject: clean(e.Subject, maxWord),
	}
	st := status.New(code(e.Kind), clean(e.Error(), maxMessage))
	if with, err := st.WithDetails(detail); err == nil {
		st = with
	}
	return st.Err()
}

// detailed reports whether err is a status that has its detail already.
func detailed(err error) bool {
	st, ok := err.(interface{ GRPCStatus() *status.Status })
	if !ok {
		return false
	}
	for _, d := range st.GRPCStatus().Details() {
		if _, ok := d.(*pluginv1.ErrorDetail); ok {
			return true
		}
	}
	return false
}

// flatten finds the contract.Error in err's chain, or makes one, and puts what
// was wrapped around it into its operation, so that no text is lost.
func flatten(err error) contract.Error {
	var inner *contract.Error
	if !errors.As(err, &inner) {
		kind := contract.KindOf(err)
		if st, ok := status.FromError(err); ok && kind == contract.KindUnspecified {
			return contract.Error{Kind: kindOf(st.Code()), Message: st.Message()}
		}
		if kind == contract.KindUnspecified {
			kind = contract.KindInternal
		}
		return contract.Error{Kind: kind, Message: err.Error()}
	}
	e := *inner
	if e.Kind <= contract.KindUnspecified || e.Kind > contract.KindInternal {
		e.Kind = contract.KindInternal
	}
	around, ok := strings.CutSuffix(err.Error(), inner.Error())
	switch {
	case !ok:
		e.Op, e.Message = "", err.Error()
	case around != "":
		e.Op = strings.TrimSuffix(around+e.Op, ": ")
	}
	return e
}

// FromRPC reads what a gRPC call returned. The second result says that the
// plugin itself has spoken; without that the error is gRPC's own, and
// KindUnavailable then means that the connection is gone or the plugin stopped.
// nil stays nil.
func FromRPC(err error) (*contract.Error, bool) {
	if err == nil {
		return nil, false
	}
	st, ok := status.FromError(err)
	if !ok {
		return &contract.Error{Kind: contract.KindInternal, Message: clean(err.Error(), maxMessage)}, false
	}
	for _, d := range st.Details() {
		detail, ok := d.(*pluginv1.ErrorDetail)
		if !ok {
			continue
		}
		kind := contract.Kind(detail.GetKind())
		if kind <= contract.KindUnspecified || kind > contract.KindInternal {
			kind = kindOf(st.Code())
		}
		return &contract.Error{
			Kind:    kind,
			Op:      clean(detail.GetOp(), maxWord),
			Message: clean(detail.GetMessage(), maxMessage),
			Subject: clean(detail.GetSubject(), maxWord),
		}, true
	}
	return &contract.Error{Kind: kindOf(st.Code()), Message: clean(st.Message(), maxMessage)}, false
}

// code is the status code of a kind.
func code(k contract.Kind) codes.Code {
	switch k {
	case contract.KindInvalid:
		return codes.InvalidArgument
	case contract.KindUnavailable:
		return codes.Unavailable
	case contract.KindRefused:
		return codes.PermissionDenied
	case contract.KindNotFound:
		return codes.NotFound
	case contract.KindConflict:
		return codes.Aborted
	case contract.KindUnsupported:
		return codes.Unimplemented
	default:
		return codes.Internal
	}
}

// kindOf is the kind of a status that carries no detail: gRPC's own, or that of
// a plugin that does not use this package.
func kindOf(c codes.Code) contract.Kind {
	switch c {
	case codes.InvalidArgument, codes.OutOfRange:
		return contract.KindInvalid
	// Whoever reads a Canceled or DeadlineExceeded that is not its own context's
	// sees a peer that gave up.
	case codes.Unavailable, codes.Canceled, codes.DeadlineExceeded:
		return contract.KindUnavailable
	case codes.PermissionDenied, codes.Unauthenticated:
		return contract.KindRefused
	case codes.NotFound:
		return contract.KindNotFound
	case codes.Aborted, codes.AlreadyExists, codes.FailedPrecondition:
		return contract.KindConflict
	case codes.Unimplemented:
		return contract.KindUnsupported
	default:
		return contract.KindInternal
	}
}

// clean is s as valid UTF-8 of at most max bytes.
func clean(s string, max int) string {
	if len(s) > max {
		const mark = "…"
		s = s[:max-len(mark)]
		return strings.ToValidUTF8(s, "") + mark
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}
