package status_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/codes"
	grpcstatus "google.golang.org/grpc/status"

	"github.com/crucible-engine/crucible/sdk/contract"
	"github.com/crucible-engine/crucible/sdk/contract/status"
	pluginv1 "github.com/crucible-engine/crucible/sdk/proto/crucible/plugin/v1"
)

// TestTable is the table of the contract, both ways.
func TestTable(t *testing.T) {
	t.Parallel()
	for kind, code := range map[contract.Kind]codes.Code{
		contract.KindInvalid:     codes.InvalidArgument,
		contract.KindUnavailable: codes.Unavailable,
		contract.KindRefused:     codes.PermissionDenied,
		contract.KindNotFound:    codes.NotFound,
		contract.KindConflict:    codes.Aborted,
		contract.KindUnsupported: codes.Unimplemented,
		contract.KindInternal:    codes.Internal,
	} {
		want := &contract.Error{Kind: kind, Op: "restore token", Message: "it broke", Subject: "abc"}
		rpc := status.ToRPC(want)
		if got := grpcstatus.Code(rpc); got != code {
			t.Errorf("%v: code %v, want %v", kind, got, code)
		}
		got, spoken := status.FromRPC(status.ToRPC(rpc))
		if diff := cmp.Diff(want, got); diff != "" || !spoken {
			t.Errorf("%v: round trip (-want +got), spoken %v:\n%s", kind, spoken, diff)
		}
		// A peer that sends no detail still gets its kind across.
		got, spoken = status.FromRPC(grpcstatus.Error(code, "bare"))
		if got.Kind != kind || got.Message != "bare" || spoken {
			t.Errorf("bare %v: got %+v, spoken %v", code, got, spoken)
		}
		if pluginv1.ErrorKind_name[int32(kind)] == "" {
			t.Errorf("%v has no number in the protocol", kind)
		}
	}
	if got, want := len(pluginv1.ErrorKind_name), int(contract.KindInternal)+1; got != want {
		t.Errorf("the protocol has %d kinds, the contract %d", got, want)
	}
}

func TestToRPC(t *testing.T) {
	t.Parallel()
	inner := &contract.Error{Kind: contract.KindInvalid, Op: "read settings", Subject: "agent.model", Message: "unknown"}
	for name, test := range map[string]struct {
		err  error
		want contract.Error
	}{
		"plain is internal": {errors.New("boom"), contract.Error{Kind: contract.KindInternal, Message: "boom"}},
		"sentinel":          {fmt.Errorf("no room: %w", contract.ErrUnavailable), contract.Error{Kind: contract.KindUnavailable, Message: "no room: unavailable"}},
		"wrapped":           {fmt.Errorf("configure: %w", inner), contract.Error{Kind: contract.KindInvalid, Op: "configure: read settings", Subject: "agent.model", Message: "unknown"}},
		"wrapped behind":    {fmt.Errorf("%w (tried twice)", inner), contract.Error{Kind: contract.KindInvalid, Subject: "agent.model", Message: "read settings agent.model: unknown (tried twice)"}},
		"wrapped bare":      {fmt.Errorf("configure: %w", &contract.Error{Kind: contract.KindInvalid, Message: "no"}), contract.Error{Kind: contract.KindInvalid, Op: "configure", Message: "no"}},
		"unknown kind":      {&contract.Error{Kind: 77, Message: "x"}, contract.Error{Kind: contract.KindInternal, Message: "x"}},
		"own status":        {grpcstatus.Error(codes.NotFound, "gone"), contract.Error{Kind: contract.KindNotFound, Message: "gone"}},
		"kind beats end":    {errors.Join(contract.ErrConflict, context.Canceled), contract.Error{Kind: contract.KindConflict, Message: "conflict\ncontext canceled"}},
	} {
		got, spoken := status.FromRPC(status.ToRPC(test.err))
		if got == nil || !spoken {
			t.Errorf("%s: got %v, spoken %v", name, got, spoken)
			continue
		}
		if diff := cmp.Diff(test.want, *got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if status.ToRPC(nil) != nil {
		t.Error("nil became an error")
	}
	if got := grpcstatus.Code(status.ToRPC(fmt.Errorf("turn: %w", context.Canceled))); got != codes.Canceled {
		t.Errorf("cancelled: got %v", got)
	}
	if got := grpcstatus.Code(status.ToRPC(context.DeadlineExceeded)); got != codes.DeadlineExceeded {
		t.Errorf("deadline: got %v", got)
	}
}

func TestTextsAreBoundedAndClean(t *testing.T) {
	t.Parallel()
	rpc := status.ToRPC(&contract.Error{
		Kind: contract.KindInternal, Op: strings.Repeat("ä", 5000), Subject: "bad\xff", Message: strings.Repeat("\xff", 1<<20) + "x",
	})
	got, spoken := status.FromRPC(rpc)
	if !spoken {
		t.Fatal("the detail was lost")
	}
	for _, text := range []string{got.Op, got.Subject, got.Message, grpcstatus.Convert(rpc).Message()} {
		if len(text) > 4<<10 || !utf8.ValidString(text) {
			t.Errorf("%d bytes, valid %v", len(text), utf8.ValidString(text))
		}
	}
}

func TestFromRPC(t *testing.T) {
	t.Parallel()
	if got, spoken := status.FromRPC(nil); got != nil || spoken {
		t.Errorf("nil: got %v, %v", got, spoken)
	}
	if got, _ := status.FromRPC(errors.New("odd")); got.Kind != contract.KindInternal {
		t.Errorf("no status: got %+v", got)
	}
	// A kind from a newer peer reads as what its code says.
	st, err := grpcstatus.New(codes.Aborted, "m").WithDetails(&pluginv1.ErrorDetail{Kind: 99, Message: "m"})
	if err != nil {
		t.Fatal(err)
	}
	if got, spoken := status.FromRPC(st.Err()); got.Kind != contract.KindConflict || !spoken {
		t.Errorf("new kind: got %+v, %v", got, spoken)
	}
	for code, want := range map[codes.Code]contract.Kind{
		codes.Canceled: contract.KindUnavailable, codes.DeadlineExceeded: contract.KindUnavailable,
		codes.ResourceExhausted: contract.KindInternal, codes.Unknown: contract.KindInternal, codes.Code(99): contract.KindInternal,
	} {
		if got, _ := status.FromRPC(grpcstatus.Error(code, "")); got.Kind != want {
			t.Errorf("%v: got %v, want %v", code, got.Kind, want)
		}
	}
}
