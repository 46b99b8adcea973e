package pluginrpc

import (
	"fmt"
	"strings"

	"github.com/crucible-engine/crucible/sdk/plugin"
	pluginv1 "github.com/crucible-engine/crucible/sdk/proto/crucible/plugin/v1"
)

// Limits on lists that plugins make.
const (
	maxDiagnostics = 256
	maxFacts       = 256
)

func infoToProto(i plugin.Info) *pluginv1.DescribeResponse {
	return &pluginv1.DescribeResponse{
		Kind: i.Kind, Name: i.Name, Version: i.Version, Contract: i.Contract, Features: i.Features, NeedsEnv: i.NeedsEnv,
	}
}

func infoFromProto(r *pluginv1.DescribeResponse) plugin.Info {
	return plugin.Info{
		Kind: r.GetKind(), Name: r.GetName(), Version: r.GetVersion(), Contract: r.GetContract(),
		Features: r.GetFeatures(), NeedsEnv: r.GetNeedsEnv(),
	}
}

func diagnosticsToProto(list []plugin.Diagnostic) []*pluginv1.Diagnostic {
	var out []*pluginv1.Diagnostic
	for _, d := range bounded(list) {
		out = append(out, &pluginv1.Diagnostic{
			Severity: pluginv1.Severity(d.Severity), Path: text(d.Path), Message: text(d.Message), Hint: text(d.Hint),
		})
	}
	return out
}

func diagnosticsFromProto(list []*pluginv1.Diagnostic) []plugin.Diagnostic {
	var out []plugin.Diagnostic
	for _, d := range list {
		severity := Known(plugin.Severity(d.GetSeverity()), plugin.SeverityInfo)
		out = append(out, plugin.Diagnostic{Severity: severity, Path: d.GetPath(), Message: d.GetMessage(), Hint: d.GetHint()})
	}
	return bounded(out)
}

// bounded cuts a list that is too long and says so.
func bounded(list []plugin.Diagnostic) []plugin.Diagnostic {
	if len(list) <= maxDiagnostics {
		return list
	}
	more := plugin.Diagnostic{Severity: plugin.SeverityError, Message: fmt.Sprintf("and %d more", len(list)-maxDiagnostics)}
	return append(list[:maxDiagnostics:maxDiagnostics], more)
}

func reportToProto(r plugin.Report) *pluginv1.CheckResponse {
	out := &pluginv1.CheckResponse{Diagnostics: diagnosticsToProto(r.Diagnostics)}
	for key, value := range r.Facts {
		if len(out.Facts) == maxFacts {
			break
		}
		if out.Facts == nil {
			out.Facts = map[string]string{}
		}
		out.Facts[text(key)] = text(value)
	}
	return out
}

func reportFromProto(r *pluginv1.CheckResponse) plugin.Report {
	return plugin.Report{Diagnostics: diagnosticsFromProto(r.GetDiagnostics()), Facts: r.GetFacts()}
}

// Known is value if it is one of the numbers from 0 to last, else 0: a number
// from a newer peer reads as unspecified.
func Known[T ~int | ~int32](value, last T) T {
	if value < 0 || value > last {
		return 0
	}
	return value
}

// text is s as a protocol string can hold it.
func text(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
