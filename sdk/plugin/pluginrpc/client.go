package pluginrpc

import (
	"context"
	"fmt"
	"time"

	"google.golang.org/grpc"

	"github.com/crucible-engine/crucible/sdk/contract"
	"github.com/crucible-engine/crucible/sdk/plugin"
	pluginv1 "github.com/crucible-engine/crucible/sdk/proto/crucible/plugin/v1"
)

// Client asks a plugin what every plugin can be asked.
type Client struct {
	caller *Caller
	rpc    pluginv1.PluginServiceClient
}

// NewClient makes a client over conn, on which DialOptions are set.
func NewClient(conn grpc.ClientConnInterface, peer Peer) *Client {
	return &Client{caller: NewCaller(conn, peer), rpc: pluginv1.NewPluginServiceClient(conn)}
}

// Describe asks who the plugin is, and tells it this engine's contract version.
// A description that is not well formed is an error of kind KindInvalid.
func (c *Client) Describe(ctx context.Context) (plugin.Info, error) {
	ctx, end := c.caller.Start(ctx, "describe plugin")
	resp, err := c.rpc.Describe(ctx, &pluginv1.DescribeRequest{EngineContract: contract.Version})
	if err := end(err); err != nil {
		return plugin.Info{}, err
	}
	info := infoFromProto(resp)
	return info, info.Validate()
}

// Validate checks settings without applying them.
func (c *Client) Validate(ctx context.Context, settings plugin.Settings) ([]plugin.Diagnostic, error) {
	if err := checkSettings(settings); err != nil {
		return nil, err
	}
	ctx, end := c.caller.Start(ctx, "validate settings")
	resp, err := c.rpc.Validate(ctx, &pluginv1.ValidateRequest{SettingsJson: settings})
	if err := end(err); err != nil {
		return nil, err
	}
	return diagnosticsFromProto(resp.GetDiagnostics()), nil
}

// Setup is a plugin's configuration as the host sends it.
type Setup struct {
	Settings plugin.Settings
	RunID    string
	// ScratchDir is absolute, exists and belongs to this plugin alone.
	ScratchDir string
	// LogLevel is trace, debug, info, warn or error; empty means info.
	LogLevel string
}

// Configure is called once, before the first call of the plugin's kind.
func (c *Client) Configure(ctx context.Context, setup Setup) error {
	if err := checkSettings(setup.Settings); err != nil {
		return err
	}
	ctx, end := c.caller.Start(ctx, "configure plugin")
	_, err := c.rpc.Configure(ctx, &pluginv1.ConfigureRequest{
		SettingsJson: setup.Settings, RunId: setup.RunID, ScratchDir: setup.ScratchDir, LogLevel: setup.LogLevel,
	})
	return end(err)
}

// Check lets the plugin look at the machine.
func (c *Client) Check(ctx context.Context) (plugin.Report, error) {
	ctx, end := c.caller.Start(ctx, "check plugin")
	resp, err := c.rpc.Check(ctx, &pluginv1.CheckRequest{})
	if err := end(err); err != nil {
		return plugin.Report{}, err
	}
	return reportFromProto(resp), nil
}

// Shutdown lets calls in flight end for at most grace and refuses new ones. ctx
// should allow a little more than that.
func (c *Client) Shutdown(ctx context.Context, grace time.Duration) error {
	ctx, end := c.caller.Start(ctx, "shut plugin down")
	_, err := c.rpc.Shutdown(ctx, &pluginv1.ShutdownRequest{GraceMillis: grace.Milliseconds()})
	return end(err)
}

// checkSettings holds the limit on both ends.
func checkSettings(s plugin.Settings) error {
	if len(s) <= contract.MaxSettings {
		return nil
	}
	return &contract.Error{
		Kind: contract.KindInvalid, Op: "read settings",
		Message: fmt.Sprintf("%d bytes of settings; the limit is %d", len(s), contract.MaxSettings),
	}
}
