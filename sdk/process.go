package sdk

import (
	"context"
	"io"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/hashicorp/go-hclog"
	goplugin "github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"

	"github.com/crucible-engine/crucible/sdk/contract"
	"github.com/crucible-engine/crucible/sdk/plugin/pluginrpc"
	pluginv1 "github.com/crucible-engine/crucible/sdk/proto/crucible/plugin/v1"
)

// How long calls in flight may take to end, by what ends the process. A host
// that asked for it has shut the plugin down before and kills it soon; a host
// that is gone must leave nothing behind within two seconds.
const (
	askedGrace  = 1500 * time.Millisecond
	orphanGrace = 400 * time.Millisecond
)

// process is a plugin's process while it serves.
type process struct {
	log      hclog.Logger
	calls    *pluginrpc.Calls
	server   *pluginrpc.Server
	register func(grpc.ServiceRegistrar)
	// listening: the server was made, so the start has not failed.
	listening atomic.Bool
}

// newProcess prepares to serve. The log goes to the descriptor that is standard
// error now; the handshake library will give the name to a pipe of its own.
func newProcess(info Info, impl any, register func(grpc.ServiceRegistrar)) *process {
	log := hclog.New(&hclog.LoggerOptions{Output: steady{os.Stderr}, JSONFormat: true, Level: hclog.Info})
	calls := pluginrpc.NewCalls(log)
	server := pluginrpc.NewServer(info, impl, calls, log)
	return &process{log: log, calls: calls, server: server, register: func(r grpc.ServiceRegistrar) {
		pluginv1.RegisterPluginServiceServer(r, server)
		register(r)
	}}
}

// steady is a log's output that does not fail: a reader that is gone must not
// keep a plugin from cleaning up.
type steady struct{ io.Writer }

func (s steady) Write(data []byte) (int, error) {
	_, _ = s.Writer.Write(data)
	return len(data), nil
}

// run serves until the host has no more use for the plugin, and returns the exit
// status. The goroutines it starts end with the process.
func (p *process) run() int {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, syscall.SIGTERM, os.Interrupt)
	// Writing to a host that is gone is an error then, not the end.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	orphaned := watch(os.Stdin)
	served := make(chan struct{})
	go func() {
		defer close(served)
		p.serve()
	}()
	select {
	case <-served:
		if !p.listening.Load() {
			return 1 // the library has said why
		}
		p.stop(askedGrace, nil)
		return 0
	case <-orphaned:
		p.stop(orphanGrace, nil)
		return 0
	case s := <-signals:
		p.log.Info("shutting down", "signal", s.String())
		p.stop(contract.ShutdownGrace, signals)
		return 128 + int(s.(syscall.Signal))
	}
}

// watch closes its channel when the host has let go of its end of the pipe f.
// Anything else, such as the null device, is no lifeline.
func watch(f *os.File) <-chan struct{} {
	info, err := f.Stat()
	if err != nil || info.Mode()&(os.ModeNamedPipe|os.ModeSocket) == 0 {
		return nil
	}
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		_, _ = io.Copy(io.Discard, f)
	}()
	return gone
}

// serve returns when the host has asked the server to stop.
func (p *process) serve() {
	goplugin.Serve(&goplugin.ServeConfig{
		HandshakeConfig:  goplugin.HandshakeConfig{MagicCookieKey: contract.CookieKey, MagicCookieValue: contract.CookieValue},
		VersionedPlugins: map[int]goplugin.PluginSet{contract.Protocol(): {contract.PluginSet: services{register: p.register}}},
		Logger:           p.log,
		GRPCServer: func(options []grpc.ServerOption) *grpc.Server {
			p.listening.Store(true)
			return grpc.NewServer(append(options, pluginrpc.ServerOptions(p.calls)...)...)
		},
	})
}

// stop cancels every call and lets the plugin clean up, for grace and a little
// more, whether it takes part or not. Another signal ends the wait.
func (p *process) stop(grace time.Duration, signals <-chan os.Signal) {
	p.calls.Refuse()
	p.calls.Cancel()
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.server.Stop(context.Background(), grace)
	}()
	select {
	case <-done:
	case <-time.After(grace + pluginrpc.StopSlack):
	case <-signals:
	}
}
