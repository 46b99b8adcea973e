package sdk_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/crucible-engine/crucible/sdk"
	"github.com/crucible-engine/crucible/sdk/conformance"
	"github.com/crucible-engine/crucible/sdk/contract"
	"github.com/crucible-engine/crucible/sdk/plugin"
	"github.com/crucible-engine/crucible/sdk/proc"
	"github.com/crucible-engine/crucible/sdk/transport"
)

// recordVariable names the file that the plugin of this test writes when it is
// shut down, hangVariable makes it hang then.
const (
	recordVariable = "CRUCIBLE_TEST_RECORD"
	hangVariable   = "CRUCIBLE_TEST_HANG"
)

// TestMain lets the test binary be the plugin.
func TestMain(m *testing.M) {
	if conformance.StartedAsPlugin() {
		sdk.ServeTransport(sdk.Info{Name: "probe", Version: "1.0.0"}, &probe{log: hclog.NewNullLogger()})
	}
	os.Exit(m.Run())
}

// probe tells by a file that it was shut down, after it has logged.
type probe struct{ log hclog.Logger }

func (*probe) RunTurn(context.Context, transport.Turn, func(transport.Event) error) (transport.Result, error) {
	return transport.Result{}, errors.ErrUnsupported
}

func (*probe) ReleaseRun(context.Context, string) error { return nil }

func (p *probe) Configure(_ context.Context, c plugin.Config) error {
	p.log = c.Log
	return nil
}

func (p *probe) Shutdown(context.Context) error {
	for range 100 {
		p.log.Error(strings.Repeat("to a stderr that nobody reads ", 100))
	}
	if os.Getenv(hangVariable) != "" {
		time.Sleep(time.Hour)
	}
	return os.WriteFile(os.Getenv(recordVariable), []byte("shut down"), 0o600)
}

// started is a plugin that has shaken hands and was not called.
type started struct {
	process       *proc.Process
	stdin, stderr *os.File // our ends
	record        string
}

// start is the least that a host does.
func start(t *testing.T, env ...string) started {
	t.Helper()
	sockets, err := os.MkdirTemp("", "sdk-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(sockets) })
	s := started{record: filepath.Join(t.TempDir(), "record")}
	target := conformance.Self(append(env, recordVariable+"="+s.record)...)
	in, stdin := pipe(t)
	stderr, errs := pipe(t)
	stdout, out := pipe(t)
	s.stdin, s.stderr = stdin, stderr
	s.process, err = proc.Start(context.WithoutCancel(t.Context()), proc.Command{
		Path: target.Command[0], Stdin: in, StdoutTo: out, StderrTo: errs,
		Env: append(target.Env, contract.CookieKey+"="+contract.CookieValue, "PLUGIN_UNIX_SOCKET_DIR="+sockets,
			fmt.Sprintf("PLUGIN_PROTOCOL_VERSIONS=%d", contract.Protocol())),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.process.Kill()
		<-s.process.Done()
	})
	for _, theirs := range []*os.File{in, out, errs} {
		theirs.Close()
	}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil || !strings.HasPrefix(line, "1|") {
		t.Fatalf("the handshake is %q, %v", line, err)
	}
	return s
}

func pipe(t *testing.T) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close(); w.Close() })
	return r, w
}

// wait wants the process to end in time with a status.
func (s started) wait(t *testing.T, limit time.Duration, status int) {
	t.Helper()
	select {
	case <-s.process.Done():
	case <-time.After(limit):
		t.Fatalf("the plugin still runs after %v", limit)
	}
	if exit, err := s.process.Wait(); err != nil || exit.Code != status {
		t.Errorf("it ended with %v, %v; want status %d", exit, err, status)
	}
}

func (s started) wantRecord(t *testing.T) {
	t.Helper()
	if text, err := os.ReadFile(s.record); err != nil || string(text) != "shut down" {
		t.Errorf("the plugin was not shut down: %q, %v", text, err)
	}
}

// TestEngineGone: with nobody left to read its log, a plugin still cleans up.
func TestEngineGone(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.stderr.Close()
	s.stdin.Close()
	s.wait(t, 2*time.Second, 0)
	s.wantRecord(t)
}

// TestHangingShutdown: an implementation cannot keep the process.
func TestHangingShutdown(t *testing.T) {
	t.Parallel()
	s := start(t, hangVariable+"=1")
	s.stdin.Close()
	// The process gives up after a second; the race detector takes one more to end.
	s.wait(t, 4*time.Second, 0)
}

func TestSignals(t *testing.T) {
	t.Parallel()
	for signal, status := range map[syscall.Signal]int{syscall.SIGTERM: 143, syscall.SIGINT: 130} {
		s := start(t)
		if err := syscall.Kill(s.process.Pid(), signal); err != nil {
			t.Fatal(err)
		}
		s.wait(t, 2*time.Second, status)
		s.wantRecord(t)
	}
}
