package conformance

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/crucible-engine/crucible/sdk/contract"
	"github.com/crucible-engine/crucible/sdk/transport"
)

// turns are the cases of what a turn does.
func turns() []Case {
	return []Case{
		{Name: "started-first", Demand: "A turn begins with one started and ends with one result, even if the agent prints nothing.", run: startedFirst},
		{Name: "output", Demand: "What the agent prints arrives line by line, in order, each with its stream.", run: printsLines},
		{Name: "output-live", Demand: "A line arrives when it is printed, not when the agent ends.", run: printsLive},
		{Name: "output-bytes", Demand: "Output that is no text, empty lines and a last line without an end arrive as they are.", run: printsBytes},
		{Name: "output-long-line", Demand: "A line over the limit is cut and marked, and the turn goes on.", run: printsLongLine},
		{Name: "exit-status", Demand: "An agent that exits with another status than 0 is a failed turn with that status, no error.", run: exitStatus},
		{Name: "workspace", Demand: "The agent runs in the workspace, and what it wrote is there when the turn ends.", run: writesWorkspace},
		{Name: "environment", Demand: "The agent finds the variables of the turn with their bytes, the last of a name, and none of the plugin's own.", run: hasEnvironment},
		{Name: "prompt-long", Demand: "A turn with a prompt of 15 MiB runs.", run: longPrompt},
		{Name: "turns-at-once", Demand: "Two turns at once do not mix.", run: turnsAtOnce},
		{Name: "turn-repeated", Demand: "A turn that runs already is refused as a conflict.", run: turnRepeated},
		{Name: "release-run", Demand: "ReleaseRun may be repeated, and before any turn.", run: releaseRun},
		{Name: "session", Demand: "A session starts with a cursor and resumes with it; both are opaque.", run: session},
	}
}

func startedFirst(t T, target Target) {
	ctx, p := configured(t, target)
	h, result := play(ctx, t, p, newTurn(t, target, ":"))
	if result.Outcome != transport.OutcomeCompleted {
		t.Errorf("the result is %v", result)
	}
	for i, e := range h.all() {
		if _, ok := e.(transport.Started); ok != (i == 0) {
			t.Errorf("event %d is %#v", i, e)
		}
	}
}

func printsLines(t T, target Target) {
	ctx, p := configured(t, target)
	h, _ := play(ctx, t, p, newTurn(t, target, "for i in 1 2 3 4 5; do echo out $i; echo err $i >&2; done"))
	for stream, name := range map[transport.Stream]string{transport.Stdout: "out", transport.Stderr: "err"} {
		want := []string{name + " 1", name + " 2", name + " 3", name + " 4", name + " 5"}
		if got := h.lines(stream); !slices.Equal(got, want) {
			t.Errorf("%v: got %q", stream, got)
		}
	}
}

func printsLive(t T, target Target) {
	ctx, p := configured(t, target)
	turn := newTurn(t, target, "echo "+ready+"; while ! test -e go; do sleep 0.02; done; echo gone on")
	h := &heard{}
	_, err := p.transport.RunTurn(ctx, turn, func(e transport.Event) error {
		if isReady(e) {
			if err := os.WriteFile(filepath.Join(turn.Workspace, "go"), nil, 0o644); err != nil {
				return err
			}
		}
		return h.add(e)
	})
	if err != nil || !h.has("gone on") {
		t.Errorf("the turn ended with %v after %q", err, h.lines(transport.Stdout))
	}
}

func printsBytes(t T, target Target) {
	ctx, p := configured(t, target)
	h, _ := play(ctx, t, p, newTurn(t, target, `printf 'a\377\000b\n\n  spaces \nno end'`))
	want := []string{"a\xff\x00b", "", "  spaces ", "no end"}
	if got := h.lines(transport.Stdout); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func printsLongLine(t T, target Target) {
	ctx, p := configured(t, target)
	h, result := play(ctx, t, p, newTurn(t, target, `head -c 3000000 /dev/zero | tr '\0' x; echo; echo after`))
	if result.Outcome != transport.OutcomeCompleted || !h.has("after") {
		t.Errorf("the result is %v", result)
	}
	cut := false
	for _, e := range h.all() {
		o, ok := e.(transport.Output)
		cut = cut || o.Truncated
		if ok && len(o.Line) > contract.MaxLine {
			t.Errorf("a line of %d bytes", len(o.Line))
		}
	}
	if !cut {
		t.Errorf("no line is marked as cut")
	}
}

func exitStatus(t T, target Target) {
	ctx, p := configured(t, target)
	_, result := play(ctx, t, p, newTurn(t, target, "exit 7"))
	if result.Outcome != transport.OutcomeFailed || result.ExitCode != 7 {
		t.Errorf("the result is %v", result)
	}
}

func writesWorkspace(t T, target Target) {
	ctx, p := configured(t, target)
	turn := newTurn(t, target, "cat given && mkdir made && echo new >made/file && rm given")
	given := filepath.Join(turn.Workspace, "given")
	if err := os.WriteFile(given, []byte("hello\n"), 0o644); err != nil {
		t.Fatalf("%v", err)
	}
	h, result := play(ctx, t, p, turn)
	text, err := os.ReadFile(filepath.Join(turn.Workspace, "made", "file"))
	if !h.has("hello") || err != nil || string(text) != "new\n" || !result.WorkspaceSynced {
		t.Errorf("printed %q, wrote %q, %v; the result is %v", h.lines(transport.Stdout), text, err, result)
	}
	if _, err := os.Stat(given); err == nil {
		t.Errorf("what the agent removed is still there")
	}
}

func hasEnvironment(t T, target Target) {
	const own = "CRUCIBLE_CONFORMANCE_OWN"
	target.Env = append(slices.Clip(target.Env), own+"=of the plugin")
	ctx, p := configured(t, target)
	turn := newTurn(t, target, `env >all; printf '%s|%s' "$TWICE" "$ODD" >some`)
	turn.Env = append(turn.Env, transport.EnvVar{Name: "TWICE", Value: "first"}, transport.EnvVar{Name: "TWICE", Value: "last"},
		transport.EnvVar{Name: "ODD", Value: " a\nb=\xff'\"$ ", Secret: true})
	play(ctx, t, p, turn)
	some, err := os.ReadFile(filepath.Join(turn.Workspace, "some"))
	if want := "last| a\nb=\xff'\"$ "; err != nil || string(some) != want {
		t.Errorf("the agent found %q, want %q, %v", some, want, err)
	}
	all, err := os.ReadFile(filepath.Join(turn.Workspace, "all"))
	if err != nil {
		t.Fatalf("%v", err)
	}
	for _, name := range []string{own, contract.CookieKey, "PLUGIN_", "TRACEPARENT", "TRACESTATE"} {
		if bytes.Contains(all, []byte(name)) {
			t.Errorf("the agent's environment has %s", name)
		}
	}
}

func longPrompt(t T, target Target) {
	ctx, p := configured(t, target)
	turn := newTurn(t, target, "echo done")
	turn.Prompt = strings.Repeat("word ", contract.MaxPrompt/5)
	if h, result := play(ctx, t, p, turn); result.Outcome != transport.OutcomeCompleted || !h.has("done") {
		t.Errorf("the result is %v", result)
	}
}

func turnsAtOnce(t T, target Target) {
	ctx, p := configured(t, target)
	p.need(t, transport.FeatureParallelTurns)
	// Each waits for the other, so both must run.
	meeting := t.TempDir()
	script := func(own, other string) string {
		return "touch '" + meeting + "/" + own + "'; while ! test -e '" + meeting + "/" + other + "'; do sleep 0.02; done; echo I am " + own
	}
	var group sync.WaitGroup
	for own, other := range map[string]string{"one": "two", "two": "one"} {
		turn := newTurn(t, target, script(own, other))
		group.Go(func() {
			h := &heard{}
			result, err := p.transport.RunTurn(ctx, turn, h.add)
			if got := h.lines(transport.Stdout); err != nil || !slices.Equal(got, []string{"I am " + own}) {
				t.Errorf("turn %s printed %q: %v, %v", own, got, result, err)
			}
		})
	}
	group.Wait()
}

func turnRepeated(t T, target Target) {
	ctx, p := configured(t, target)
	turn := newTurn(t, target, "echo "+ready+"; while ! test -e go; do sleep 0.02; done")
	again := false
	_, err := p.transport.RunTurn(ctx, turn, func(e transport.Event) error {
		if !isReady(e) {
			return nil
		}
		again = true
		if _, err := p.transport.RunTurn(ctx, turn, func(transport.Event) error { return nil }); !errors.Is(err, contract.ErrConflict) {
			t.Errorf("the repeat: got %v", err)
		}
		return os.WriteFile(filepath.Join(turn.Workspace, "go"), nil, 0o644)
	})
	if err != nil || !again {
		t.Errorf("the first: got %v", err)
	}
}

func releaseRun(t T, target Target) {
	ctx, p := configured(t, target)
	for range 2 {
		if err := p.transport.ReleaseRun(ctx, "no such run"); err != nil {
			t.Errorf("before any turn: %v", err)
		}
	}
	turn := newTurn(t, target, ":")
	play(ctx, t, p, turn)
	for range 2 {
		if err := p.transport.ReleaseRun(ctx, turn.RunID); err != nil {
			t.Errorf("after a turn: %v", err)
		}
	}
}

func session(t T, target Target) {
	ctx, p := configured(t, target)
	p.need(t, transport.FeatureSessions)
	first := newTurn(t, target, ":")
	first.Session = &transport.Session{Name: "solver", Action: transport.SessionStart, Turn: 1}
	_, result := play(ctx, t, p, first)
	if len(result.Cursor) == 0 {
		t.Fatalf("the first turn returned no cursor")
	}
	second := newTurn(t, target, ":")
	second.Workspace = first.Workspace
	second.Session = &transport.Session{Name: "solver", Action: transport.SessionResume, Cursor: result.Cursor, Turn: 2}
	if _, result = play(ctx, t, p, second); result.Outcome != transport.OutcomeCompleted {
		t.Errorf("the second turn ended with %v", result)
	}
}
