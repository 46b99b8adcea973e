package contract_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/crucible-engine/crucible/sdk/contract"
)

func TestErrorText(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		err  contract.Error
		want string
	}{
		"whole":      {contract.Error{Kind: contract.KindNotFound, Op: "restore token", Subject: "abc", Message: "no such state"}, "restore token abc: no such state"},
		"no subject": {contract.Error{Kind: contract.KindNotFound, Op: "restore", Message: "no such state"}, "restore: no such state"},
		"no op":      {contract.Error{Kind: contract.KindInvalid, Subject: "agent.model", Message: "unknown"}, "agent.model: unknown"},
		"only kind":  {contract.Error{Kind: contract.KindConflict}, "conflict"},
		"no message": {contract.Error{Kind: contract.KindRefused, Op: "write"}, "write: refused"},
		"nothing":    {contract.Error{}, "unspecified"},
	} {
		if got := test.err.Error(); got != test.want {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
}

func TestKinds(t *testing.T) {
	t.Parallel()
	for kind, sentinel := range map[contract.Kind]error{
		contract.KindInvalid:     contract.ErrInvalid,
		contract.KindUnavailable: contract.ErrUnavailable,
		contract.KindRefused:     contract.ErrRefused,
		contract.KindNotFound:    contract.ErrNotFound,
		contract.KindConflict:    contract.ErrConflict,
		contract.KindUnsupported: contract.ErrUnsupported,
		contract.KindInternal:    contract.ErrInternal,
	} {
		err := fmt.Errorf("outside: %w", contract.NewError(kind, "op", "", errors.New("cause")))
		if !errors.Is(err, sentinel) {
			t.Errorf("%v does not match its sentinel", kind)
		}
		if kind != contract.KindInternal && errors.Is(err, contract.ErrInternal) {
			t.Errorf("%v matches another sentinel", kind)
		}
		if got := contract.KindOf(err); got != kind {
			t.Errorf("KindOf: got %v, want %v", got, kind)
		}
		if got := contract.KindOf(fmt.Errorf("bare: %w", sentinel)); got != kind {
			t.Errorf("KindOf a bare sentinel: got %v, want %v", got, kind)
		}
		if kind.String() != sentinel.Error() {
			t.Errorf("kind %q and sentinel %q have different names", kind, sentinel)
		}
	}
	for _, err := range []error{nil, errors.New("plain"), &contract.Error{Kind: 99}} {
		if errors.Is(err, contract.ErrInternal) {
			t.Errorf("%v matches a sentinel", err)
		}
	}
	if got := contract.KindOf(errors.New("plain")); got != contract.KindUnspecified {
		t.Errorf("KindOf a plain error: got %v", got)
	}
}
