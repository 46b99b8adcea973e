package wire_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crucible-engine/crucible/core/wire"
)

// goldens are the lines of testdata by file. They are written by hand after the
// sheet of the wire format and stay as they are for good: logs of older engines
// look like this.
func goldens(t testing.TB) map[string][]string {
	t.Helper()
	paths, err := filepath.Glob("testdata/*.ndjson")
	if err != nil || len(paths) == 0 {
		t.Fatal("no goldens", err)
	}
	out := map[string][]string{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(path), ".ndjson")
		out[name] = strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	}
	return out
}

func TestGoldensAreReadAndWrittenUnchanged(t *testing.T) {
	t.Parallel()
	for name, lines := range goldens(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for i, line := range lines {
				e, err := wire.Decode([]byte(line))
				if err != nil {
					t.Fatalf("line %d: %v", i+1, err)
				}
				if name != "run" && name != "unknown" && e.Kind() != name {
					t.Errorf("line %d: kind %q in file %s", i+1, e.Kind(), name)
				}
				if _, unknown := e.(wire.Unknown); unknown != (name == "unknown") {
					t.Errorf("line %d: %T", i+1, e)
				}
				out, err := wire.Encode(e)
				if err != nil {
					t.Fatalf("line %d: %v", i+1, err)
				}
				if diff := cmp.Diff(line, string(out)); diff != "" {
					t.Errorf("line %d: %s", i+1, diff)
				}
			}
		})
	}
}

// TestStructsToLines holds the structs against the sheet's own examples: a field
// in the wrong place would survive a round trip.
func TestStructsToLines(t *testing.T) {
	t.Parallel()
	score, baseline, tie, cost := 41.5, 50.0, 0.1, 0.01
	total := uint64(12)
	tests := []struct {
		event wire.Event
		want  string
	}{
		{wire.Start{Goal: "Shrink the binary", Gate: "bytes", Model: "m-1", ItersTotal: 4, MaxCost: 2.5, MaxSecs: 900},
			`{"v":1,"kind":"start","goal":"Shrink the binary","gate":"bytes","model":"m-1","namespace":"","iters_total":4,"max_cost":2.5,"max_secs":900}`},
		{wire.Identity{Identity: wire.IdentityData{
			Components: []wire.Component{{Repo: ".", BaseSHA: "9f…"}}, ManifestHash: "8078e07c7b1b067a",
			InjectHash: "cbf29ce484222325", MeasureCmd: "./m.sh", Direction: "lower", Digest: "v2:…"}},
			`{"v":1,"kind":"identity","identity":{"components":[{"name":"","repo":".","base_sha":"9f…"}],"manifest_hash":"8078e07c7b1b067a","inject_hash":"cbf29ce484222325","seed_hash":"","measure_cmd":"./m.sh","direction":"lower","rig":{"def_ref":"","backend_name":"","backend_version":""},"digest":"v2:…"}}`},
		{wire.Plugins{Plugins: []wire.Plugin{{PluginKind: "world", Name: "git", Version: "1", Contract: "0.2.0", SHA256: "ab", Path: "/p"}}},
			`{"v":1,"kind":"plugins","plugins":[{"kind":"world","name":"git","version":"1","contract":"0.2.0","sha256":"ab","path":"/p"}]}`},
		{wire.Phase{Phase: wire.PhaseIteration, Iter: 2}, `{"v":1,"kind":"phase","phase":"iteration","iter":2}`},
		{wire.Note{Msg: "injected operator steer"}, `{"v":1,"kind":"note","msg":"injected operator steer"}`},
		{wire.Row{Row: wire.RowData{Iter: 1, Decision: wire.DecisionKeep, Note: "inline the hot path", Detail: `{"total":12}`,
			Diff: "diff --git …", Diffstat: "1 file changed", Score: &score, Total: &total, KeptSnap: "3c9e…"}},
			`{"v":1,"kind":"row","row":{"iter":1,"decision":"keep","note":"inline the hot path","detail":"{\"total\":12}","diff":"diff --git …","diffstat":"1 file changed","score":41.5,"total":12,"kept_snap":"3c9e…"},"solved":false}`},
		{wire.Row{Row: wire.RowData{Decision: "d", Note: "n", Detail: "t", Diff: "f", Diffstat: "s", Tiebreak: &tie, Phase: "p",
			KeptSnap: "k", Evidence: []wire.Evidence{{Task: "t", Disposition: "passed", Note: "e"}}, CandidateMD: "c"}, Solved: true},
			`{"v":1,"kind":"row","row":{"iter":0,"decision":"d","note":"n","detail":"t","diff":"f","diffstat":"s","score":null,"tiebreak":0.1,"total":null,"phase":"p","kept_snap":"k","evidence":[{"task":"t","disposition":"passed","note":"e"}],"candidate_md":"c"},"solved":true}`},
		{wire.AgentSession{Session: "solver", Action: wire.SessionResumed, Turn: 2},
			`{"v":1,"kind":"agent_session","session":"solver","action":"resumed","turn":2}`},
		{wire.AgentStart{Iter: 2}, `{"v":1,"kind":"agent_start","iter":2}`},
		{wire.Agent{Event: wire.Text{Delta: "…"}}, `{"v":1,"kind":"agent","event":{"kind":"text","delta":"…"}}`},
		{wire.Agent{Event: wire.Tokens{Input: 1, Output: 2, CacheRead: 3, CacheWrite: 4, Total: 10, CostUSD: &cost}},
			`{"v":1,"kind":"agent","event":{"kind":"tokens","input":1,"output":2,"cache_read":3,"cache_write":4,"total":10,"rate":null,"cost_usd":0.01}}`},
		{wire.AgentDone{}, `{"v":1,"kind":"agent_done"}`},
		{wire.Budget{Spent: 0.42, ElapsedSecs: 37}, `{"v":1,"kind":"budget","spent":0.42,"elapsed_secs":37}`},
		{wire.Segment{Fingerprint: "f602d801aaca6eb0", Regime: wire.RegimeDefault},
			`{"v":1,"kind":"segment","fingerprint":"f602d801aaca6eb0","baseline_score":null,"regime":"default"}`},
		{wire.Segment{Fingerprint: "f", BaselineScore: &baseline, Regime: "r"},
			`{"v":1,"kind":"segment","fingerprint":"f","baseline_score":50.0,"regime":"r"}`},
		{wire.Escalation{Category: "infeasible", Reason: "r", Evidence: "e"},
			`{"v":1,"kind":"escalation","category":"infeasible","reason":"r","evidence":"e"}`},
		{wire.Summary{Gate: "bytes", BestScore: &score}, `{"v":1,"kind":"summary","rows":[],"gate":"bytes","best_score":41.5}`},
		{wire.Finished{}, `{"v":1,"kind":"finished"}`},
		{wire.Shutdown{Outcome: wire.OutcomeSolved, Reason: "win condition met"},
			`{"v":1,"kind":"shutdown","outcome":"solved","reason":"win condition met"}`},
	}
	for _, tt := range tests {
		t.Run(tt.event.Kind(), func(t *testing.T) {
			t.Parallel()
			got, err := wire.Encode(tt.event)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, string(got)); diff != "" {
				t.Error(diff)
			}
			back, err := wire.Decode(got)
			if err != nil {
				t.Fatal(err)
			}
			if again, _ := wire.Encode(back); string(again) != tt.want {
				t.Errorf("read back as %s", again)
			}
		})
	}
}
