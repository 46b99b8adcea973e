package pluginrpc_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/go-hclog"
	"google.golang.org/grpc"

	"github.com/crucible-engine/crucible/sdk/contract"
	"github.com/crucible-engine/crucible/sdk/internal/loopback"
	"github.com/crucible-engine/crucible/sdk/plugin"
	"github.com/crucible-engine/crucible/sdk/plugin/pluginrpc"
	pluginv1 "github.com/crucible-engine/crucible/sdk/proto/crucible/plugin/v1"
)

var info = plugin.Info{
	Kind: plugin.KindWorld, Name: "fake", Version: "1.0.0", Contract: contract.Version,
	Features: []string{"fork"}, NeedsEnv: []string{"HOME"},
}

// serve connects a client to a server of impl.
func serve(t *testing.T, impl any, log hclog.Logger) (*pluginrpc.Client, *pluginrpc.Server, *pluginrpc.Calls) {
	t.Helper()
	if log == nil {
		log = hclog.NewNullLogger()
	}
	calls := pluginrpc.NewCalls(log)
	server := pluginrpc.NewServer(info, impl, calls, log)
	conn, stop, err := loopback.Serve(calls, func(r grpc.ServiceRegistrar) { pluginv1.RegisterPluginServiceServer(r, server) })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	return pluginrpc.NewClient(conn, pluginrpc.Peer{}), server, calls
}

// able has every ability.
type able struct {
	check    func(context.Context) (plugin.Report, error)
	config   plugin.Config
	shutdown int
}

func (a *able) Validate(_ context.Context, s plugin.Settings) ([]plugin.Diagnostic, error) {
	var into struct {
		Image string `json:"image"`
	}
	return s.Decode(&into), nil
}

func (a *able) Configure(_ context.Context, c plugin.Config) error {
	a.config = c
	return nil
}
func (a *able) Check(ctx context.Context) (plugin.Report, error) { return a.check(ctx) }
func (a *able) Shutdown(context.Context) error                   { a.shutdown++; return nil }

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	want := plugin.Report{
		Diagnostics: []plugin.Diagnostic{{Severity: plugin.SeverityWarning, Path: "image", Message: "old", Hint: "pull it"}},
		Facts:       map[string]string{"cli version": "2.1.0"},
	}
	impl := &able{check: func(context.Context) (plugin.Report, error) { return want, nil }}
	client, _, _ := serve(t, impl, nil)
	ctx := t.Context()

	got, err := client.Describe(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(info, got); diff != "" {
		t.Errorf("Describe (-want +got):\n%s", diff)
	}
	found, err := client.Validate(ctx, plugin.Settings(`{"imag":"x"}`))
	if err != nil || len(found) != 1 || found[0].Path != "imag" || found[0].Hint == "" {
		t.Errorf("Validate: got %v, %v", found, err)
	}
	setup := pluginrpc.Setup{Settings: plugin.Settings(`{"image":"x"}`), RunID: "r1", ScratchDir: "/tmp/s", LogLevel: "debug"}
	if err := client.Configure(ctx, setup); err != nil {
		t.Fatal(err)
	}
	if impl.config.RunID != "r1" || impl.config.ScratchDir != "/tmp/s" || string(impl.config.Settings) != `{"image":"x"}` || impl.config.Log == nil {
		t.Errorf("Configure: got %+v", impl.config)
	}
	if err := client.Configure(ctx, setup); !errors.Is(err, contract.ErrConflict) {
		t.Errorf("a second Configure: got %v", err)
	}
	report, err := client.Check(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, report); diff != "" {
		t.Errorf("Check (-want +got):\n%s", diff)
	}
	for range 2 {
		if err := client.Shutdown(ctx, time.Second); err != nil {
			t.Fatal(err)
		}
	}
	if impl.shutdown != 1 {
		t.Errorf("Shutdown reached the implementation %d times", impl.shutdown)
	}
	if _, err := client.Check(ctx); !errors.Is(err, contract.ErrUnavailable) {
		t.Errorf("Check after Shutdown: got %v", err)
	}
	if _, err := client.Describe(ctx); err != nil {
		t.Errorf("Describe after Shutdown: got %v", err)
	}
}

// TestBarePlugin has none of the abilities.
func TestBarePlugin(t *testing.T) {
	t.Parallel()
	client, _, _ := serve(t, struct{}{}, nil)
	ctx := t.Context()
	if found, err := client.Validate(ctx, plugin.Settings(`{"a":1}`)); err != nil || len(found) != 1 {
		t.Errorf("Validate: got %v, %v", found, err)
	}
	err := client.Configure(ctx, pluginrpc.Setup{Settings: plugin.Settings(`{"a":1}`)})
	var e *contract.Error
	if !errors.As(err, &e) || e.Kind != contract.KindInvalid || e.Subject != "a" {
		t.Errorf("Configure with a key: got %#v", err)
	}
	if err := client.Configure(ctx, pluginrpc.Setup{ScratchDir: "relative"}); !errors.Is(err, contract.ErrInvalid) {
		t.Errorf("Configure with a relative directory: got %v", err)
	}
	if err := client.Configure(ctx, pluginrpc.Setup{}); err != nil {
		t.Errorf("Configure: %v", err)
	}
	if report, err := client.Check(ctx); err != nil || len(report.Diagnostics) != 0 {
		t.Errorf("Check: got %v, %v", report, err)
	}
	huge := plugin.Settings(strings.Repeat(" ", contract.MaxSettings+1))
	if _, err := client.Validate(ctx, huge); !errors.Is(err, contract.ErrInvalid) {
		t.Errorf("huge settings: got %v", err)
	}
}

func TestPanicAndErrors(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	fail := errors.New("unset")
	impl := &able{check: func(context.Context) (plugin.Report, error) {
		if fail == nil {
			panic("a prompt: hunter2")
		}
		return plugin.Report{}, fail
	}}
	client, _, _ := serve(t, impl, hclog.New(&hclog.LoggerOptions{Output: &log}))
	for want, err := range map[error]error{
		contract.ErrInternal:    errors.New("plain"),
		contract.ErrRefused:     fmt.Errorf("check: %w", &contract.Error{Kind: contract.KindRefused, Op: "look", Message: "no"}),
		contract.ErrUnsupported: fmt.Errorf("check: %w", contract.ErrUnsupported),
	} {
		fail = err
		if _, got := client.Check(t.Context()); !errors.Is(got, want) || got.Error() == "" {
			t.Errorf("%v: got %v", err, got)
		}
	}
	fail = nil
	_, err := client.Check(t.Context())
	if !errors.Is(err, contract.ErrInternal) || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("panic: got %v", err)
	}
	if !strings.Contains(log.String(), "plugin_test.go") {
		t.Errorf("the log has no stack:\n%s", log.String())
	}
}

// TestCancelWaits: a cancelled call returns to its caller only when the plugin
// has ended it.
func TestCancelWaits(t *testing.T) {
	t.Parallel()
	started, release := make(chan struct{}), make(chan struct{})
	var ended bool
	client, _, _ := serve(t, &able{check: func(ctx context.Context) (plugin.Report, error) {
		close(started)
		<-ctx.Done()
		<-release
		ended = true
		return plugin.Report{}, ctx.Err()
	}}, nil)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-started
		cancel()
		close(release)
	}()
	if _, err := client.Check(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if !ended {
		t.Error("Check returned before the plugin had ended the call")
	}
}

func TestDeadlineIsTheCallersOwn(t *testing.T) {
	t.Parallel()
	client, _, _ := serve(t, &able{check: func(ctx context.Context) (plugin.Report, error) {
		<-ctx.Done()
		return plugin.Report{}, ctx.Err()
	}}, nil)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := client.Check(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

// TestShutdownCancels: a call that does not end by itself is cancelled before
// the grace is over.
func TestShutdownCancels(t *testing.T) {
	t.Parallel()
	started, result := make(chan struct{}), make(chan error, 1)
	client, server, _ := serve(t, &able{check: func(ctx context.Context) (plugin.Report, error) {
		close(started)
		<-ctx.Done()
		return plugin.Report{}, ctx.Err()
	}}, nil)
	go func() {
		_, err := client.Check(t.Context())
		result <- err
	}()
	<-started
	server.Stop(t.Context(), 50*time.Millisecond)
	if err := <-result; !errors.Is(err, contract.ErrUnavailable) {
		t.Errorf("the call that was cancelled by the plugin: got %v", err)
	}
}
