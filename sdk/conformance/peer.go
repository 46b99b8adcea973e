package conformance

import (
	"context"

	"github.com/hashicorp/go-hclog"
	"google.golang.org/grpc"

	"github.com/crucible-engine/crucible/sdk/contract"
	"github.com/crucible-engine/crucible/sdk/internal/loopback"
	"github.com/crucible-engine/crucible/sdk/plugin"
	"github.com/crucible-engine/crucible/sdk/plugin/pluginrpc"
	pluginv1 "github.com/crucible-engine/crucible/sdk/proto/crucible/plugin/v1"
	transportv1 "github.com/crucible-engine/crucible/sdk/proto/crucible/transport/v1"
	worldv1 "github.com/crucible-engine/crucible/sdk/proto/crucible/world/v1"
	"github.com/crucible-engine/crucible/sdk/transport/transportrpc"
	"github.com/crucible-engine/crucible/sdk/world/worldrpc"
)

// peer is the plugin, connected.
type peer struct {
	conn      grpc.ClientConnInterface
	plugin    *pluginrpc.Client
	transport *transportrpc.Client
	world     *worldrpc.Client
	// process is nil for a value in this process.
	process *process
	log     *output
}

// connect starts the plugin, or serves the value, and leaves it unconfigured.
func connect(t T, target Target) *peer {
	t.Helper()
	p := &peer{}
	if len(target.Command) > 0 {
		p.process = start(t, target)
		p.conn, p.log = p.process.conn, p.process.stderr
	} else {
		p.log = newOutput()
		p.conn = serve(t, target, p.log)
	}
	p.plugin = pluginrpc.NewClient(p.conn, pluginrpc.Peer{})
	p.transport = transportrpc.NewClient(p.conn, pluginrpc.Peer{})
	p.world = worldrpc.NewClient(p.conn, pluginrpc.Peer{})
	return p
}

// serve serves a value of the target.
func serve(t T, target Target, log *output) *grpc.ClientConn {
	t.Helper()
	logger := hclog.New(&hclog.LoggerOptions{Output: log, JSONFormat: true, Level: hclog.Trace})
	calls := pluginrpc.NewCalls(logger)
	info := target.Info
	info.Contract = contract.Version
	conn, stop, err := loopback.Serve(calls, func(r grpc.ServiceRegistrar) {
		var impl any
		switch {
		case target.Transport != nil:
			info.Kind = plugin.KindTransport
			made := target.Transport()
			transportv1.RegisterTransportServiceServer(r, transportrpc.NewServer(made))
			impl = made
		case target.World != nil:
			info.Kind = plugin.KindWorld
			made := target.World()
			worldv1.RegisterWorldServiceServer(r, worldrpc.NewServer(made))
			impl = made
		}
		pluginv1.RegisterPluginServiceServer(r, pluginrpc.NewServer(info, impl, calls, logger))
	})
	if err != nil {
		t.Fatalf("serve the plugin: %v", err)
	}
	t.Cleanup(stop)
	return conn
}

// configured connects and configures as a run of the engine does. The context is
// that of the case.
func configured(t T, target Target) (context.Context, *peer) {
	t.Helper()
	p := connect(t, target)
	p.configure(t, target, t.TempDir())
	return t.Context(), p
}

func (p *peer) configure(t T, target Target, scratch string) {
	t.Helper()
	err := p.plugin.Configure(t.Context(), pluginrpc.Setup{Settings: target.Settings, RunID: "conformance", ScratchDir: scratch, LogLevel: "trace"})
	if err != nil {
		t.Fatalf("configure: %v", err)
	}
}

// describe asks who the plugin is.
func (p *peer) describe(t T) plugin.Info {
	t.Helper()
	info, err := p.plugin.Describe(t.Context())
	if err != nil {
		t.Fatalf("describe: %v", err)
	}
	return info
}

// need skips the case when the plugin does not have a feature.
func (p *peer) need(t T, feature string) {
	t.Helper()
	if !p.describe(t).Has(feature) {
		t.Skipf("the plugin does not have the feature %s", feature)
	}
}
