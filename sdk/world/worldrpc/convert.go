package worldrpc

import (
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/crucible-engine/crucible/sdk/contract"
	worldv1 "github.com/crucible-engine/crucible/sdk/proto/crucible/world/v1"
	"github.com/crucible-engine/crucible/sdk/world"
)

func openToProto(r world.OpenRequest) *worldv1.OpenRequest {
	c := r.Commands
	req := &worldv1.OpenRequest{
		RunId: r.RunID, Workspace: r.Workspace, ManifestDir: r.ManifestDir, Attach: r.Attach, Exclude: r.Exclude,
		Commands: &worldv1.Commands{
			Setup: c.Setup, Apply: c.Apply, Snapshot: c.Snapshot, Restore: c.Restore,
			SetupTimeoutMillis: millis(c.SetupTimeout), ApplyTimeoutMillis: millis(c.ApplyTimeout),
			SnapshotTimeoutMillis: millis(c.SnapshotTimeout), RestoreTimeoutMillis: millis(c.RestoreTimeout),
		},
		Env: envToProto(r.Env),
	}
	if s := r.Source; s != nil {
		req.Source = &worldv1.Source{Url: s.URL, Path: s.Path, Ref: s.Ref}
	}
	return req
}

func openFromProto(r *worldv1.OpenRequest) world.OpenRequest {
	c := r.GetCommands()
	req := world.OpenRequest{
		RunID: r.GetRunId(), Workspace: r.GetWorkspace(), ManifestDir: r.GetManifestDir(), Attach: r.GetAttach(), Exclude: r.GetExclude(),
		Commands: world.Commands{
			Setup: c.GetSetup(), Apply: c.GetApply(), Snapshot: c.GetSnapshot(), Restore: c.GetRestore(),
			SetupTimeout: duration(c.GetSetupTimeoutMillis()), ApplyTimeout: duration(c.GetApplyTimeoutMillis()),
			SnapshotTimeout: duration(c.GetSnapshotTimeoutMillis()), RestoreTimeout: duration(c.GetRestoreTimeoutMillis()),
		},
		Env: envFromProto(r.GetEnv()),
	}
	if s := r.GetSource(); s != nil {
		req.Source = &world.Source{URL: s.GetUrl(), Path: s.GetPath(), Ref: s.GetRef()}
	}
	return req
}

// millis rounds up: a limit must not become none.
func millis(d time.Duration) int64 {
	ms := d / time.Millisecond
	if d%time.Millisecond > 0 {
		ms++
	}
	return int64(ms)
}

// duration holds what does not fit at the longest there is.
func duration(ms int64) time.Duration {
	const last = math.MaxInt64 / int64(time.Millisecond)
	return time.Duration(min(max(ms, -last), last)) * time.Millisecond
}

func envToProto(env []world.EnvVar) []*worldv1.EnvVar {
	var out []*worldv1.EnvVar
	for _, e := range env {
		out = append(out, &worldv1.EnvVar{Name: e.Name, Value: []byte(e.Value)})
	}
	return out
}

func envFromProto(env []*worldv1.EnvVar) []world.EnvVar {
	var out []world.EnvVar
	for _, e := range env {
		out = append(out, world.EnvVar{Name: e.GetName(), Value: string(e.GetValue())})
	}
	return out
}

// lineToProto cuts a line that is too long, between two characters.
func lineToProto(l world.LogLine) *worldv1.LogLine {
	l = cut(l)
	return &worldv1.LogLine{Line: l.Line, Truncated: l.Truncated, Stderr: l.Stderr}
}

func lineFromProto(l *worldv1.LogLine) world.LogLine {
	return cut(world.LogLine{Line: l.GetLine(), Truncated: l.GetTruncated(), Stderr: l.GetStderr()})
}

func cut(l world.LogLine) world.LogLine {
	if len(l.Line) <= contract.MaxLine {
		return l
	}
	end := contract.MaxLine
	for back := 1; back < utf8.UTFMax && !utf8.RuneStart(l.Line[end]); back++ {
		end--
	}
	l.Line, l.Truncated = l.Line[:end], true
	return l
}

func openedToProto(o world.Opened) *worldv1.Opened {
	return &worldv1.Opened{WorldId: o.WorldID, Fresh: o.Fresh, Commit: o.Commit}
}

func openedFromProto(o *worldv1.Opened) world.Opened {
	return world.Opened{WorldID: o.GetWorldId(), Fresh: o.GetFresh(), Commit: o.GetCommit()}
}

func snapshotToProto(s world.Snapshot) *worldv1.SnapshotResponse {
	return &worldv1.SnapshotResponse{Token: s.Token, Commit: s.Commit, Changed: s.Changed, Shortstat: text(s.Shortstat)}
}

func snapshotFromProto(s *worldv1.SnapshotResponse) world.Snapshot {
	return world.Snapshot{Token: s.GetToken(), Commit: s.GetCommit(), Changed: s.GetChanged(), Shortstat: s.GetShortstat()}
}

func appliedToProto(a world.Applied) *worldv1.Applied {
	return &worldv1.Applied{Ok: a.OK, ExitCode: int32(min(max(a.ExitCode, math.MinInt32), math.MaxInt32)), Note: text(a.Note)}
}

func appliedFromProto(a *worldv1.Applied) world.Applied {
	return world.Applied{OK: a.GetOk(), ExitCode: int(a.GetExitCode()), Note: a.GetNote()}
}

func diffedToProto(d world.Diffed) *worldv1.Diffed {
	return &worldv1.Diffed{Shortstat: text(d.Shortstat), Truncated: d.Truncated}
}

func diffedFromProto(d *worldv1.Diffed) world.Diffed {
	return world.Diffed{Shortstat: d.GetShortstat(), Truncated: d.GetTruncated()}
}

func fileToProto(f world.File) *worldv1.File {
	return &worldv1.File{Mode: f.Mode, Size: f.Size}
}

func fileFromProto(f *worldv1.File) world.File {
	return world.File{Mode: f.GetMode(), Size: f.GetSize()}
}

// maxConflicts bounds a list that is for people.
const maxConflicts = 1000

func adoptedToProto(a world.Adopted) *worldv1.AdoptResponse {
	out := &worldv1.AdoptResponse{Clean: a.Clean}
	for _, path := range a.Conflicts[:min(len(a.Conflicts), maxConflicts)] {
		out.Conflicts = append(out.Conflicts, text(path))
	}
	return out
}

func adoptedFromProto(a *worldv1.AdoptResponse) world.Adopted {
	return world.Adopted{Clean: a.GetClean(), Conflicts: a.GetConflicts()}
}

// text is s as a protocol string can hold it; a file's name need not be one.
func text(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
