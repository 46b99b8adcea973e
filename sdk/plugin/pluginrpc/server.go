package pluginrpc

import (
	"context"
	"path/filepath"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/crucible-engine/crucible/sdk/contract"
	"github.com/crucible-engine/crucible/sdk/plugin"
	pluginv1 "github.com/crucible-engine/crucible/sdk/proto/crucible/plugin/v1"
)

// Server serves PluginService for an implementation of any kind, whose other
// abilities are those interfaces of package plugin that it has.
type Server struct {
	pluginv1.UnimplementedPluginServiceServer
	info  plugin.Info
	impl  any
	calls *Calls
	log   hclog.Logger

	mu         sync.Mutex
	configured bool

	letGo sync.Once
}

// NewServer serves impl. Calls is the one whose ServerOptions the gRPC server has.
func NewServer(info plugin.Info, impl any, calls *Calls, log hclog.Logger) *Server {
	return &Server{info: info, impl: impl, calls: calls, log: log}
}

// Describe says who the plugin is.
func (s *Server) Describe(_ context.Context, req *pluginv1.DescribeRequest) (*pluginv1.DescribeResponse, error) {
	s.log.Debug("described", "engine_contract", req.GetEngineContract(), "contract", s.info.Contract)
	return infoToProto(s.info), nil
}

// Validate checks settings.
func (s *Server) Validate(ctx context.Context, req *pluginv1.ValidateRequest) (*pluginv1.ValidateResponse, error) {
	found, err := s.validate(ctx, req.GetSettingsJson())
	if err != nil {
		return nil, err
	}
	return &pluginv1.ValidateResponse{Diagnostics: diagnosticsToProto(found)}, nil
}

func (s *Server) validate(ctx context.Context, settings plugin.Settings) ([]plugin.Diagnostic, error) {
	if err := checkSettings(settings); err != nil {
		return nil, err
	}
	if v, ok := s.impl.(plugin.Validator); ok {
		return v.Validate(ctx, settings)
	}
	if _, ok := s.impl.(plugin.Configurer); ok {
		return nil, nil
	}
	return settings.Decode(&struct{}{}), nil
}

// Configure configures the plugin, once.
func (s *Server) Configure(ctx context.Context, req *pluginv1.ConfigureRequest) (*pluginv1.ConfigureResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.configured {
		return nil, &contract.Error{Kind: contract.KindConflict, Op: "configure plugin", Message: "it is configured already"}
	}
	if dir := req.GetScratchDir(); dir != "" && !filepath.IsAbs(dir) {
		return nil, &contract.Error{Kind: contract.KindInvalid, Op: "configure plugin", Message: "the scratch directory is not absolute"}
	}
	if level := hclog.LevelFromString(req.GetLogLevel()); level != hclog.NoLevel {
		s.log.SetLevel(level)
	}
	found, err := s.validate(ctx, req.GetSettingsJson())
	if err != nil {
		return nil, err
	}
	if err := plugin.Err(found); err != nil {
		return nil, err
	}
	if c, ok := s.impl.(plugin.Configurer); ok {
		err := c.Configure(ctx, plugin.Config{
			Settings: req.GetSettingsJson(), RunID: req.GetRunId(), ScratchDir: req.GetScratchDir(), Log: s.log,
		})
		if err != nil {
			return nil, err
		}
	}
	s.configured = true
	return &pluginv1.ConfigureResponse{}, nil
}

// Check looks at the machine.
func (s *Server) Check(ctx context.Context, _ *pluginv1.CheckRequest) (*pluginv1.CheckResponse, error) {
	c, ok := s.impl.(plugin.Checker)
	if !ok {
		return &pluginv1.CheckResponse{}, nil
	}
	report, err := c.Check(ctx)
	if err != nil {
		return nil, err
	}
	return reportToProto(report), nil
}

// Settle waits for a call.
func (s *Server) Settle(ctx context.Context, req *pluginv1.SettleRequest) (*pluginv1.SettleResponse, error) {
	if err := s.calls.Settle(ctx, req.GetCallId()); err != nil {
		return nil, err
	}
	return &pluginv1.SettleResponse{}, nil
}

// maxGrace keeps a host's mistake from keeping a plugin for ever.
const maxGrace = time.Hour

// Shutdown ends the plugin's work; see Stop.
func (s *Server) Shutdown(ctx context.Context, req *pluginv1.ShutdownRequest) (*pluginv1.ShutdownResponse, error) {
	grace := time.Duration(min(max(req.GetGraceMillis(), 0), maxGrace.Milliseconds())) * time.Millisecond
	s.Stop(ctx, grace)
	return &pluginv1.ShutdownResponse{}, nil
}

// StopSlack is what Stop may take beyond its grace.
const StopSlack = 500 * time.Millisecond

// Stop refuses new calls and returns when those in flight have ended or the
// grace is over. They are left alone at first and cancelled early enough for
// their processes to be gone at the end of the grace. Then the implementation's
// Shutdown is called, if it has one, with what is left of the grace and
// StopSlack. It is safe to repeat.
func (s *Server) Stop(ctx context.Context, grace time.Duration) {
	end := time.Now().Add(grace)
	s.calls.Refuse()
	waiting, cancel := context.WithDeadline(ctx, end)
	defer cancel()
	patience, over := context.WithDeadline(ctx, end.Add(-min(grace/2, contract.KillGrace+time.Second)))
	defer over()
	if s.calls.Wait(patience) != nil {
		s.calls.Cancel()
		if s.calls.Wait(waiting) != nil {
			s.log.Warn("calls are still in flight at the end of the grace", "grace", grace)
		}
	}
	s.letGo.Do(func() { s.shutdown(context.WithoutCancel(ctx), end.Add(StopSlack)) })
}

// shutdown asks the implementation to let go of what it holds.
func (s *Server) shutdown(ctx context.Context, end time.Time) {
	impl, ok := s.impl.(plugin.Shutdowner)
	if !ok {
		return
	}
	ctx, cancel := context.WithDeadline(ctx, end)
	defer cancel()
	if err := impl.Shutdown(ctx); err != nil {
		s.log.Error("shutdown", "error", err.Error())
	}
}
