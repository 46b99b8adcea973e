package main

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	pluginv1 "github.com/crucible-engine/crucible/sdk/proto/crucible/plugin/v1"
)

// pluginService is the service of every plugin.
type pluginService struct {
	pluginv1.UnimplementedPluginServiceServer
	calls      *calls
	configured atomic.Bool
}

func (s *pluginService) Describe(context.Context, *pluginv1.DescribeRequest) (*pluginv1.DescribeResponse, error) {
	d := self()
	return &pluginv1.DescribeResponse{
		Kind: d.Kind, Name: d.Name, Version: d.Version, Contract: d.Contract, Features: d.Features, NeedsEnv: d.NeedsEnv,
	}, nil
}

// unknown lists the keys of the settings. This plugin has none, so each is one
// too many.
func unknown(settings []byte) ([]string, error) {
	if len(bytes.TrimSpace(settings)) == 0 {
		return nil, nil
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(settings, &object); err != nil {
		return nil, fault(pluginv1.ErrorKind_ERROR_KIND_INVALID, "read settings", "", "the settings are not one JSON object")
	}
	return slices.Sorted(maps.Keys(object)), nil
}

func (s *pluginService) Validate(_ context.Context, req *pluginv1.ValidateRequest) (*pluginv1.ValidateResponse, error) {
	keys, err := unknown(req.GetSettingsJson())
	if err != nil {
		return nil, err
	}
	resp := &pluginv1.ValidateResponse{}
	for _, key := range keys {
		resp.Diagnostics = append(resp.Diagnostics, &pluginv1.Diagnostic{Severity: pluginv1.Severity_SEVERITY_ERROR, Path: key, Message: "unknown key"})
	}
	return resp, nil
}

func (s *pluginService) Configure(_ context.Context, req *pluginv1.ConfigureRequest) (*pluginv1.ConfigureResponse, error) {
	keys, err := unknown(req.GetSettingsJson())
	switch {
	case err != nil:
		return nil, err
	case len(keys) > 0:
		return nil, fault(pluginv1.ErrorKind_ERROR_KIND_INVALID, "configure plugin", keys[0], "unknown key")
	case s.configured.Swap(true):
		return nil, fault(pluginv1.ErrorKind_ERROR_KIND_CONFLICT, "configure plugin", "", "it is configured already")
	}
	return &pluginv1.ConfigureResponse{}, nil
}

func (s *pluginService) Check(context.Context, *pluginv1.CheckRequest) (*pluginv1.CheckResponse, error) {
	s.calls.mu.Lock()
	defer s.calls.mu.Unlock()
	if s.calls.refusing {
		return nil, fault(pluginv1.ErrorKind_ERROR_KIND_UNAVAILABLE, "check plugin", "", "the plugin is shutting down")
	}
	return &pluginv1.CheckResponse{Facts: map[string]string{"shell": "/bin/sh"}}, nil
}

func (s *pluginService) Settle(ctx context.Context, req *pluginv1.SettleRequest) (*pluginv1.SettleResponse, error) {
	err := s.calls.wait(ctx, func(one *call) bool { return one.id == req.GetCallId() })
	return &pluginv1.SettleResponse{}, err
}

// Shutdown gives turns the first half of the grace to end by themselves.
func (s *pluginService) Shutdown(ctx context.Context, req *pluginv1.ShutdownRequest) (*pluginv1.ShutdownResponse, error) {
	grace := time.Duration(req.GetGraceMillis()) * time.Millisecond
	s.calls.refuse()
	everyCall := func(*call) bool { return true }
	patience, cancel := context.WithTimeout(ctx, grace/2)
	defer cancel()
	if s.calls.wait(patience, everyCall) != nil {
		s.calls.cancelAll()
		rest, cancel := context.WithTimeout(ctx, grace/2)
		defer cancel()
		_ = s.calls.wait(rest, everyCall) // the engine ends what is left
	}
	return &pluginv1.ShutdownResponse{}, nil
}
