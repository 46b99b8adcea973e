package transportrpc

import (
	"math"
	"strings"

	"github.com/crucible-engine/crucible/sdk/plugin/pluginrpc"
	transportv1 "github.com/crucible-engine/crucible/sdk/proto/crucible/transport/v1"
	"github.com/crucible-engine/crucible/sdk/transport"
)

func turnToProto(t transport.Turn) *transportv1.RunTurnRequest {
	req := &transportv1.RunTurnRequest{
		RunId: t.RunID, TurnId: t.TurnID, Task: t.Task, Workspace: t.Workspace, Prompt: t.Prompt,
		Harness:     &transportv1.Harness{Name: t.Harness.Name, Model: t.Harness.Model, Effort: t.Harness.Effort},
		Egress:      &transportv1.Egress{Endpoints: t.Egress.Endpoints, Binaries: t.Egress.Binaries, Deny: t.Egress.Deny},
		Command:     t.Command,
		OptionsJson: t.Options,
		Traceparent: t.Traceparent,
	}
	for _, e := range t.Env {
		req.Env = append(req.Env, &transportv1.EnvVar{Name: e.Name, Value: []byte(e.Value), Secret: e.Secret})
	}
	for _, r := range t.Relays {
		req.Relays = append(req.Relays, &transportv1.Relay{Source: r.Source, Target: r.Target, Mode: r.Mode})
	}
	if s := t.Session; s != nil {
		req.Session = &transportv1.Session{
			Name: s.Name, Action: transportv1.SessionAction(s.Action), Cursor: s.Cursor, Turn: s.Turn,
		}
	}
	if b := t.Broker; b != nil {
		req.Broker = &transportv1.Broker{Url: b.URL, Bearer: b.Bearer}
	}
	return req
}

func turnFromProto(req *transportv1.RunTurnRequest) transport.Turn {
	h, e := req.GetHarness(), req.GetEgress()
	t := transport.Turn{
		RunID: req.GetRunId(), TurnID: req.GetTurnId(), Task: req.GetTask(), Workspace: req.GetWorkspace(), Prompt: req.GetPrompt(),
		Harness:     transport.Harness{Name: h.GetName(), Model: h.GetModel(), Effort: h.GetEffort()},
		Egress:      transport.Egress{Endpoints: e.GetEndpoints(), Binaries: e.GetBinaries(), Deny: e.GetDeny()},
		Command:     req.GetCommand(),
		Options:     req.GetOptionsJson(),
		Traceparent: req.GetTraceparent(),
	}
	for _, v := range req.GetEnv() {
		t.Env = append(t.Env, transport.EnvVar{Name: v.GetName(), Value: string(v.GetValue()), Secret: v.GetSecret()})
	}
	for _, r := range req.GetRelays() {
		t.Relays = append(t.Relays, transport.Relay{Source: r.GetSource(), Target: r.GetTarget(), Mode: r.GetMode()})
	}
	if s := req.GetSession(); s != nil {
		t.Session = &transport.Session{
			Name: s.GetName(), Action: pluginrpc.Known(transport.SessionAction(s.GetAction()), transport.SessionResume),
			Cursor: s.GetCursor(), Turn: s.GetTurn(),
		}
	}
	if b := req.GetBroker(); b != nil {
		t.Broker = &transport.Broker{URL: b.GetUrl(), Bearer: b.GetBearer()}
	}
	return t
}

// eventToProto is nil for an event that this version does not know.
func eventToProto(event transport.Event) *transportv1.RunTurnResponse {
	switch e := event.(type) {
	case transport.Started:
		return &transportv1.RunTurnResponse{Event: &transportv1.RunTurnResponse_Started{Started: &transportv1.Started{
			Instance: text(e.Instance), HarnessVersion: text(e.HarnessVersion), Model: text(e.Model),
		}}}
	case transport.Output:
		return &transportv1.RunTurnResponse{Event: &transportv1.RunTurnResponse_Output{Output: &transportv1.Output{
			Stream: transportv1.Stream(e.Stream), Line: e.Line, Truncated: e.Truncated,
		}}}
	case transport.Activity:
		return &transportv1.RunTurnResponse{Event: &transportv1.RunTurnResponse_Activity{Activity: &transportv1.Activity{
			Kind: e.Kind, Json: e.JSON,
		}}}
	case transport.Denied:
		return &transportv1.RunTurnResponse{Event: &transportv1.RunTurnResponse_Denied{Denied: &transportv1.Denied{
			Host: text(e.Host), Port: uint32(e.Port), Binary: text(e.Binary),
		}}}
	default:
		return nil
	}
}

// eventFromProto is nil for an event that this version does not know, and for a
// result.
func eventFromProto(resp *transportv1.RunTurnResponse) transport.Event {
	switch e := resp.GetEvent().(type) {
	case *transportv1.RunTurnResponse_Started:
		return transport.Started{
			Instance: e.Started.GetInstance(), HarnessVersion: e.Started.GetHarnessVersion(), Model: e.Started.GetModel(),
		}
	case *transportv1.RunTurnResponse_Output:
		return transport.Output{
			Stream: pluginrpc.Known(transport.Stream(e.Output.GetStream()), transport.Stderr),
			Line:   e.Output.GetLine(), Truncated: e.Output.GetTruncated(),
		}
	case *transportv1.RunTurnResponse_Activity:
		return transport.Activity{Kind: e.Activity.GetKind(), JSON: e.Activity.GetJson()}
	case *transportv1.RunTurnResponse_Denied:
		port := e.Denied.GetPort()
		if port > math.MaxUint16 {
			port = 0
		}
		return transport.Denied{Host: e.Denied.GetHost(), Port: uint16(port), Binary: e.Denied.GetBinary()}
	default:
		return nil
	}
}

func resultToProto(r transport.Result) *transportv1.RunTurnResponse {
	out := &transportv1.Result{
		Outcome: transportv1.Outcome(r.Outcome), ExitCode: int32(min(max(r.ExitCode, math.MinInt32), math.MaxInt32)), Note: text(r.Note),
		CostUsd: r.CostUSD, CostSource: transportv1.CostSource(r.CostSource), Cursor: r.Cursor, WorkspaceSynced: r.WorkspaceSynced,
	}
	for _, u := range r.Usage {
		out.Usage = append(out.Usage, &transportv1.Usage{
			Model: text(u.Model), Input: u.Input, Output: u.Output, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite,
		})
	}
	return &transportv1.RunTurnResponse{Event: &transportv1.RunTurnResponse_Result{Result: out}}
}

func resultFromProto(r *transportv1.Result) transport.Result {
	out := transport.Result{
		Outcome:  pluginrpc.Known(transport.Outcome(r.GetOutcome()), transport.OutcomeFailed),
		ExitCode: int(r.GetExitCode()), Note: r.GetNote(), CostUSD: r.GetCostUsd(),
		CostSource: pluginrpc.Known(transport.CostSource(r.GetCostSource()), transport.CostFree),
		Cursor:     r.GetCursor(), WorkspaceSynced: r.GetWorkspaceSynced(),
	}
	for _, u := range r.GetUsage() {
		out.Usage = append(out.Usage, transport.Usage{
			Model: u.GetModel(), Input: u.GetInput(), Output: u.GetOutput(), CacheRead: u.GetCacheRead(), CacheWrite: u.GetCacheWrite(),
		})
	}
	return out
}

// text is s as a protocol string can hold it.
func text(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
