package transportrpc_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/go-hclog"
	"google.golang.org/grpc"

	"github.com/crucible-engine/crucible/sdk/contract"
	"github.com/crucible-engine/crucible/sdk/internal/loopback"
	"github.com/crucible-engine/crucible/sdk/plugin"
	"github.com/crucible-engine/crucible/sdk/plugin/pluginrpc"
	pluginv1 "github.com/crucible-engine/crucible/sdk/proto/crucible/plugin/v1"
	transportv1 "github.com/crucible-engine/crucible/sdk/proto/crucible/transport/v1"
	"github.com/crucible-engine/crucible/sdk/transport"
	"github.com/crucible-engine/crucible/sdk/transport/transportrpc"
)

// pluginInfo describes the plugins of these tests.
var pluginInfo = plugin.Info{Kind: plugin.KindTransport, Name: "fake", Version: "1.0.0", Contract: contract.Version}

// fake is a transport made of a function.
type fake func(ctx context.Context, turn transport.Turn, emit func(transport.Event) error) (transport.Result, error)

func (f fake) RunTurn(ctx context.Context, turn transport.Turn, emit func(transport.Event) error) (transport.Result, error) {
	return f(ctx, turn, emit)
}

func (f fake) ReleaseRun(_ context.Context, runID string) error {
	if runID == "" {
		return contract.ErrInvalid
	}
	return nil
}

// raw is a server that sends what it likes.
type raw struct {
	transportv1.UnimplementedTransportServiceServer
	messages []*transportv1.RunTurnResponse
}

func (r raw) RunTurn(_ *transportv1.RunTurnRequest, stream grpc.ServerStreamingServer[transportv1.RunTurnResponse]) error {
	for _, m := range r.messages {
		if err := stream.Send(m); err != nil {
			return err
		}
	}
	return nil
}

func connect(t *testing.T, server transportv1.TransportServiceServer) *transportrpc.Client {
	t.Helper()
	calls := pluginrpc.NewCalls(hclog.NewNullLogger())
	conn, stop, err := loopback.Serve(calls, func(r grpc.ServiceRegistrar) {
		transportv1.RegisterTransportServiceServer(r, server)
		pluginv1.RegisterPluginServiceServer(r, pluginrpc.NewServer(pluginInfo, nil, calls, hclog.NewNullLogger()))
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	return transportrpc.NewClient(conn, pluginrpc.Peer{})
}

func run(t *testing.T, client transport.Transport, turn transport.Turn) ([]transport.Event, transport.Result, error) {
	t.Helper()
	var events []transport.Event
	result, err := client.RunTurn(t.Context(), turn, func(e transport.Event) error {
		events = append(events, e)
		return nil
	})
	return events, result, err
}

func turn() transport.Turn {
	return transport.Turn{RunID: "r", TurnID: "t", Task: "iteration", Workspace: "/w", Prompt: "p"}
}

var completed = transport.Result{Outcome: transport.OutcomeCompleted, CostSource: transport.CostFree}

func TestTurn(t *testing.T) {
	t.Parallel()
	want := []transport.Event{
		transport.Started{Instance: "pid 7", Model: "m"},
		transport.Output{Stream: transport.Stdout, Line: []byte("out")},
		transport.Activity{Kind: "text", JSON: []byte(`{"delta":"x"}`)},
		transport.Denied{Host: "example.com", Port: 443, Binary: "/bin/curl"},
		transport.Output{Stream: transport.Stderr, Line: []byte("err"), Truncated: true},
	}
	result := transport.Result{
		Outcome: transport.OutcomeFailed, ExitCode: 3, Note: "exit 3", CostUSD: 0.5, CostSource: transport.CostReported,
		Usage: []transport.Usage{{Model: "m", Input: 1, Output: 2, CacheRead: 3, CacheWrite: 4}}, Cursor: []byte{0, 255}, WorkspaceSynced: true,
	}
	asked := transport.Turn{
		RunID: "r", TurnID: "t", Workspace: "/w", Prompt: strings.Repeat("p", contract.MaxPrompt),
		Env:     []transport.EnvVar{{Name: "A", Value: "not text: \xff", Secret: true}, {Name: "A", Value: ""}},
		Session: &transport.Session{Name: "s", Action: transport.SessionResume, Cursor: make([]byte, contract.MaxCursor), Turn: 2},
		Options: []byte(` {"a":1}`),
	}
	var got transport.Turn
	client := connect(t, transportrpc.NewServer(fake(func(_ context.Context, turn transport.Turn, emit func(transport.Event) error) (transport.Result, error) {
		got = turn
		for _, e := range want {
			if err := emit(e); err != nil {
				return transport.Result{}, err
			}
		}
		return result, nil
	})))
	events, gotResult, err := run(t, client, asked)
	if err != nil {
		t.Fatal(err)
	}
	if !cmp.Equal(asked, got) {
		t.Error("the turn arrived changed")
	}
	if diff := cmp.Diff(want, events); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(result, gotResult); diff != "" {
		t.Errorf("result (-want +got):\n%s", diff)
	}
	if err := client.ReleaseRun(t.Context(), "r"); err != nil {
		t.Error(err)
	}
	if err := client.ReleaseRun(t.Context(), ""); !errors.Is(err, contract.ErrInvalid) {
		t.Errorf("ReleaseRun: got %v", err)
	}
}

// TestStartedIsFirst holds whatever the implementation does.
func TestStartedIsFirst(t *testing.T) {
	t.Parallel()
	output := transport.Output{Stream: transport.Stdout, Line: []byte("x")}
	for name, test := range map[string]struct{ emitted, want []transport.Event }{
		"nothing": {nil, []transport.Event{transport.Started{}}},
		"output":  {[]transport.Event{output}, []transport.Event{transport.Started{}, output}},
		"late":    {[]transport.Event{output, transport.Started{Model: "m"}}, []transport.Event{transport.Started{}, output}},
		"twice":   {[]transport.Event{transport.Started{Model: "a"}, transport.Started{Model: "b"}, nil}, []transport.Event{transport.Started{Model: "a"}}},
	} {
		client := connect(t, transportrpc.NewServer(fake(func(_ context.Context, _ transport.Turn, emit func(transport.Event) error) (transport.Result, error) {
			for _, e := range test.emitted {
				if err := emit(e); err != nil {
					return transport.Result{}, err
				}
			}
			return completed, nil
		})))
		events, _, err := run(t, client, turn())
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(test.want, events); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestRefusedTurns(t *testing.T) {
	t.Parallel()
	server := transportrpc.NewServer(fake(func(context.Context, transport.Turn, func(transport.Event) error) (transport.Result, error) {
		t.Error("a bad turn reached the implementation")
		return completed, nil
	}))
	client := connect(t, server)
	for field, change := range map[string]func(*transport.Turn){
		"run_id":         func(t *transport.Turn) { t.RunID = "" },
		"turn_id":        func(t *transport.Turn) { t.TurnID = "" },
		"workspace":      func(t *transport.Turn) { t.Workspace = "relative" },
		"prompt":         func(t *transport.Turn) { t.Prompt = strings.Repeat("SECRET", contract.MaxPrompt/6+1) },
		"options_json":   func(t *transport.Turn) { t.Options = []byte(`["SECRET"]`) },
		"env[1]":         func(t *transport.Turn) { t.Env = []transport.EnvVar{{Name: "A"}, {Name: "B", Value: "SECRET\x00"}} },
		"env[0]":         func(t *transport.Turn) { t.Env = []transport.EnvVar{{Name: "A=B", Value: "SECRET"}} },
		"session.name":   func(t *transport.Turn) { t.Session = &transport.Session{Action: transport.SessionStart} },
		"session.action": func(t *transport.Turn) { t.Session = &transport.Session{Name: "s"} },
		"session.cursor": func(t *transport.Turn) {
			t.Session = &transport.Session{Name: "s", Action: transport.SessionResume, Cursor: make([]byte, contract.MaxCursor+1)}
		},
		"command":        func(t *transport.Turn) { t.Command = "SECRET\xff" },
		"egress.deny[0]": func(t *transport.Turn) { t.Egress.Deny = []string{"\xff"} },
		"":               func(t *transport.Turn) { t.Task = strings.Repeat("x", contract.MaxMessage) },
	} {
		bad := turn()
		change(&bad)
		_, _, err := run(t, client, bad)
		var e *contract.Error
		if !errors.As(err, &e) || e.Kind != contract.KindInvalid || e.Subject != field {
			t.Errorf("%q: got %#v", field, err)
		}
		if err != nil && strings.Contains(err.Error(), "SECRET") {
			t.Errorf("%q: the error shows the value: %.200v", field, err)
		}
	}
	// A peer without our client is held to the same.
	err := server.RunTurn(&transportv1.RunTurnRequest{RunId: "r", TurnId: "t", Workspace: "/w", Session: &transportv1.Session{Name: "s", Action: 9}}, nil)
	if !errors.Is(err, contract.ErrInvalid) {
		t.Errorf("server: got %v", err)
	}
}

func TestRefusedResults(t *testing.T) {
	t.Parallel()
	for name, result := range map[string]transport.Result{
		"outcome":  {},
		"negative": {Outcome: transport.OutcomeCompleted, CostUSD: -1},
		"NaN":      {Outcome: transport.OutcomeCompleted, CostUSD: math.NaN()},
		"infinite": {Outcome: transport.OutcomeCompleted, CostUSD: math.Inf(1)},
		"cursor":   {Outcome: transport.OutcomeCompleted, Cursor: make([]byte, contract.MaxCursor+1)},
		"message":  {Outcome: transport.OutcomeCompleted, Note: strings.Repeat("x", contract.MaxMessage)},
	} {
		client := connect(t, transportrpc.NewServer(fake(func(context.Context, transport.Turn, func(transport.Event) error) (transport.Result, error) {
			return result, nil
		})))
		if _, _, err := run(t, client, turn()); !errors.Is(err, contract.ErrInternal) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// TestMisbehavingPlugin holds the client against servers that are not ours.
func TestMisbehavingPlugin(t *testing.T) {
	t.Parallel()
	started := &transportv1.RunTurnResponse{Event: &transportv1.RunTurnResponse_Started{Started: &transportv1.Started{}}}
	good := func() *transportv1.RunTurnResponse {
		return &transportv1.RunTurnResponse{Event: &transportv1.RunTurnResponse_Result{Result: &transportv1.Result{Outcome: 1}}}
	}
	output := &transportv1.RunTurnResponse{Event: &transportv1.RunTurnResponse_Output{Output: &transportv1.Output{Stream: 77, Line: make([]byte, contract.MaxLine+1)}}}
	later := &transportv1.RunTurnResponse{}
	later.ProtoReflect().SetUnknown([]byte{0xfa, 0x06, 0x01, 'x'}) // field 111, a string
	infinite := good()
	infinite.GetResult().CostUsd = math.Inf(1)
	unknown := good()
	unknown.GetResult().Outcome = 99

	for name, test := range map[string]struct {
		messages []*transportv1.RunTurnResponse
		want     error
	}{
		"nothing":             {nil, contract.ErrUnavailable},
		"no result":           {[]*transportv1.RunTurnResponse{started, output}, contract.ErrUnavailable},
		"two results":         {[]*transportv1.RunTurnResponse{started, good(), good()}, contract.ErrInternal},
		"event after result":  {[]*transportv1.RunTurnResponse{started, good(), output}, contract.ErrInternal},
		"infinite cost":       {[]*transportv1.RunTurnResponse{started, infinite}, contract.ErrInternal},
		"unknown outcome":     {[]*transportv1.RunTurnResponse{started, unknown}, contract.ErrInternal},
		"no started":          {[]*transportv1.RunTurnResponse{output, good()}, nil},
		"unknown event":       {[]*transportv1.RunTurnResponse{started, later, good()}, nil},
		"only a result":       {[]*transportv1.RunTurnResponse{good()}, nil},
		"empty oneof members": {[]*transportv1.RunTurnResponse{{Event: &transportv1.RunTurnResponse_Activity{}}, good()}, nil},
	} {
		events, _, err := run(t, connect(t, raw{messages: test.messages}), turn())
		if !errors.Is(err, test.want) {
			t.Errorf("%s: got %v, want %v", name, err, test.want)
		}
		for i, e := range events {
			if _, ok := e.(transport.Started); ok != (i == 0) {
				t.Errorf("%s: event %d is %T", name, i, e)
			}
			if o, ok := e.(transport.Output); ok && (len(o.Line) > contract.MaxLine || o.Stream != transport.Stdout) {
				t.Errorf("%s: a line of %d bytes on %v", name, len(o.Line), o.Stream)
			}
		}
	}
}

func TestErrorsAndConflict(t *testing.T) {
	t.Parallel()
	entered, leave := make(chan struct{}), make(chan struct{})
	client := connect(t, transportrpc.NewServer(fake(func(_ context.Context, turn transport.Turn, _ func(transport.Event) error) (transport.Result, error) {
		switch turn.TurnID {
		case "wait":
			close(entered)
			<-leave
			return completed, nil
		case "fails":
			return completed, fmt.Errorf("start agent: %w", contract.ErrUnavailable)
		default:
			panic("boom")
		}
	})))
	var wait, fails, panics = turn(), turn(), turn()
	wait.TurnID, fails.TurnID, panics.TurnID = "wait", "fails", "panics"

	var group sync.WaitGroup
	group.Go(func() {
		if _, _, err := run(t, client, wait); err != nil {
			t.Errorf("the first of two: %v", err)
		}
	})
	<-entered
	if _, _, err := run(t, client, wait); !errors.Is(err, contract.ErrConflict) {
		t.Errorf("the same turn at once: got %v", err)
	}
	if _, _, err := run(t, client, fails); !errors.Is(err, contract.ErrUnavailable) {
		t.Errorf("a failing transport: got %v", err)
	}
	if _, _, err := run(t, client, panics); !errors.Is(err, contract.ErrInternal) {
		t.Errorf("a panic: got %v", err)
	}
	close(leave)
	group.Wait()
}

// TestEndOfATurn: however a turn is cut short, the caller gets it back only when
// the implementation has returned.
func TestEndOfATurn(t *testing.T) {
	t.Parallel()
	gone := errors.New("nobody listens")
	for name, test := range map[string]struct {
		emit func(cancel func()) error
		want error
	}{
		"cancelled": {func(cancel func()) error { cancel(); return nil }, context.Canceled},
		"emit":      {func(func()) error { return gone }, gone},
	} {
		var returned bool
		client := connect(t, transportrpc.NewServer(fake(func(ctx context.Context, _ transport.Turn, emit func(transport.Event) error) (transport.Result, error) {
			defer func() { returned = true }()
			_ = emit(transport.Output{Line: []byte("x")})
			<-ctx.Done()
			if err := emit(transport.Output{Line: []byte("last words")}); err == nil {
				t.Errorf("%s: nobody listens, and emit does not say so", name)
			}
			return transport.Result{}, ctx.Err()
		})))
		ctx, cancel := context.WithCancel(t.Context())
		_, err := client.RunTurn(ctx, turn(), func(e transport.Event) error {
			if _, ok := e.(transport.Output); ok {
				return test.emit(cancel)
			}
			return nil
		})
		cancel()
		if !errors.Is(err, test.want) {
			t.Errorf("%s: got %v", name, err)
		}
		if !returned {
			t.Errorf("%s: RunTurn of the client returned first", name)
		}
	}
}

// TestEmitFromAnyGoroutine: two readers of output need no lock of their own,
// and one that is late does no harm.
func TestEmitFromAnyGoroutine(t *testing.T) {
	t.Parallel()
	const each = 200
	late := make(chan func(transport.Event) error, 1)
	client := connect(t, transportrpc.NewServer(fake(func(_ context.Context, _ transport.Turn, emit func(transport.Event) error) (transport.Result, error) {
		var readers sync.WaitGroup
		for _, stream := range []transport.Stream{transport.Stdout, transport.Stderr} {
			readers.Go(func() {
				for range each {
					if err := emit(transport.Output{Stream: stream, Line: []byte("x")}); err != nil {
						t.Error(err)
					}
				}
			})
		}
		readers.Wait()
		late <- emit
		return completed, nil
	})))
	events, _, err := run(t, client, turn())
	if err != nil || len(events) != 2*each+1 {
		t.Errorf("got %d events, %v", len(events), err)
	}
	if err := (<-late)(transport.Output{}); err == nil {
		t.Error("an event after the end was taken")
	}
}
