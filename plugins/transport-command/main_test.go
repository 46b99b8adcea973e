package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/crucible-engine/crucible/sdk/contract"
	"github.com/crucible-engine/crucible/sdk/plugin"
	"github.com/crucible-engine/crucible/sdk/transport"
)

// newTurn is a turn that runs a script with a PATH and nothing else.
func newTurn(t *testing.T, script string) transport.Turn {
	t.Helper()
	return transport.Turn{
		RunID: "r", TurnID: "t", Workspace: t.TempDir(), Prompt: "do it", Command: script,
		Env: []transport.EnvVar{{Name: "PATH", Value: os.Getenv("PATH")}},
	}
}

func run(ctx context.Context, turn transport.Turn) ([]transport.Event, transport.Result, error) {
	var events []transport.Event
	result, err := new(command).RunTurn(ctx, turn, func(e transport.Event) error {
		events = append(events, e)
		return nil
	})
	return events, result, err
}

// lines are the lines on stdout of a turn that must not fail.
func lines(t *testing.T, turn transport.Turn) []string {
	t.Helper()
	events, _, err := run(t.Context(), turn)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range events {
		if o, ok := e.(transport.Output); ok && o.Stream == transport.Stdout {
			out = append(out, string(o.Line))
		}
	}
	return out
}

func TestEvents(t *testing.T) {
	t.Parallel()
	events, result, err := run(t.Context(), newTurn(t, `
echo plain
echo '{"v":1,"kind":"text","delta":"hi"}'
echo '{"v":1,"kind":"row","score":99}'
echo '{"kind":"text","delta":"no v"}'
printf 'a\377b\n'
pwd >where
printf 'no end'`))
	if err != nil {
		t.Fatal(err)
	}
	output := func(text string) transport.Event {
		return transport.Output{Stream: transport.Stdout, Line: []byte(text)}
	}
	want := []transport.Event{
		output("plain"),
		transport.Activity{Kind: "text", JSON: []byte(`{"delta":"hi"}`)},
		output(`{"v":1,"kind":"row","score":99}`),
		output(`{"kind":"text","delta":"no v"}`),
		output("a\xffb"),
		output("no end"),
	}
	if diff := cmp.Diff(want, events); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	wantResult := transport.Result{Outcome: transport.OutcomeCompleted, CostSource: transport.CostFree, WorkspaceSynced: true, Cursor: []byte{}}
	if diff := cmp.Diff(wantResult, result); diff != "" {
		t.Errorf("result (-want +got):\n%s", diff)
	}
}

// TestStream: a line arrives while the command runs, which here waits for it.
func TestStream(t *testing.T) {
	t.Parallel()
	turn := newTurn(t, "echo ready >&2; until [ -e go ]; do sleep 0.01; done")
	var got transport.Event
	_, err := new(command).RunTurn(t.Context(), turn, func(e transport.Event) error {
		got = e
		return os.WriteFile(filepath.Join(turn.Workspace, "go"), nil, 0o600)
	})
	if diff := cmp.Diff(transport.Event(transport.Output{Stream: transport.Stderr, Line: []byte("ready")}), got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

func TestResults(t *testing.T) {
	t.Parallel()
	failed, completed := transport.OutcomeFailed, transport.OutcomeCompleted
	for name, test := range map[string]struct {
		script  string
		outcome transport.Outcome
		code    int
		note    string
		cost    float64
		source  transport.CostSource
	}{
		"good":        {"true", completed, 0, "", 0, transport.CostFree},
		"exit":        {"exit 4", failed, 4, "exit 4", 0, transport.CostFree},
		"killed":      {"kill -KILL $$", failed, -1, "killed by SIGKILL", 0, transport.CostFree},
		"its reason":  {"echo why >&2; echo >&2; exit 127", failed, 127, "exit 127: why", 0, transport.CostFree},
		"error event": {`echo '{"v":1,"kind":"error","message":"x"}'`, failed, 0, "the agent reported an error", 0, transport.CostFree},
		"is_error": {
			`echo '{"v":1,"kind":"result","subtype":"success","is_error":true,"cost_usd":0.5}'`,
			failed, 0, "the agent reported an error", 0.5, transport.CostReported,
		},
		"highest cost": {
			`echo '{"v":1,"kind":"tokens","cost_usd":0.5}'; echo '{"v":1,"kind":"otel_summary","cost_usd":0.75}'; echo '{"v":1,"kind":"result","cost_usd":0.25}'`,
			completed, 0, "", 0.75, transport.CostReported,
		},
		"cost of 0": {`echo '{"v":1,"kind":"result","cost_usd":0}'`, completed, 0, "", 0, transport.CostReported},
		"no cost":   {`echo '{"v":1,"kind":"result","cost_usd":-1}'; echo '{"v":1,"kind":"text","cost_usd":9}'`, completed, 0, "", 0, transport.CostFree},
	} {
		_, got, err := run(t.Context(), newTurn(t, test.script))
		want := transport.Result{
			Outcome: test.outcome, ExitCode: test.code, Note: test.note, CostUSD: test.cost, CostSource: test.source, WorkspaceSynced: true, Cursor: []byte{},
		}
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
	}
}

// TestEnvironment: the command gets the turn's variables and ours, and nothing
// that this process has.
func TestEnvironment(t *testing.T) {
	t.Parallel()
	turn := newTurn(t, "env | grep -v -e ^PWD= -e ^_= -e ^SHLVL= -e ^OLDPWD= -e ^CRUCIBLE_PROMPT_FILE= | sort")
	turn.Env = append(turn.Env,
		transport.EnvVar{Name: "A", Value: "first"}, transport.EnvVar{Name: "A", Value: "last"},
		transport.EnvVar{Name: "TRACEPARENT", Value: "x"}, transport.EnvVar{Name: "TRACESTATE", Value: "x"},
		transport.EnvVar{Name: "CRUCIBLE_PROMPT", Value: "not ours"}, transport.EnvVar{Name: "TRACEPARENTS", Value: "stays"},
	)
	turn.Traceparent = "00-0"
	want := []string{"A=last", "CRUCIBLE_PROMPT=do it", "PATH=" + os.Getenv("PATH"), "TRACEPARENTS=stays"}
	if diff := cmp.Diff(want, lines(t, turn)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestPromptFile(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		prompt string
		inEnv  bool
	}{
		"empty":     {"", true},
		"short":     {"first\nsecond", true},
		"just fits": {strings.Repeat("p", maxVariable-len("CRUCIBLE_PROMPT=")), true},
		"too long":  {strings.Repeat("p", maxVariable-len("CRUCIBLE_PROMPT=")+1), false},
		"longest":   {strings.Repeat("p", contract.MaxPrompt), false},
		"zero byte": {"a\x00b", false},
	} {
		turn := newTurn(t, `cp "$CRUCIBLE_PROMPT_FILE" file; stat -c %a "$CRUCIBLE_PROMPT_FILE"; stat -c %a "${CRUCIBLE_PROMPT_FILE%/*}"
echo "$CRUCIBLE_PROMPT_FILE"; if [ -n "${CRUCIBLE_PROMPT+x}" ]; then printf %s "$CRUCIBLE_PROMPT" >env; fi`)
		turn.Prompt = test.prompt
		got := lines(t, turn)
		if len(got) != 3 || got[0] != "600" || got[1] != "700" {
			t.Fatalf("%s: got %q", name, got)
		}
		if _, err := os.Stat(filepath.Dir(got[2])); !errors.Is(err, os.ErrNotExist) || strings.HasPrefix(got[2], turn.Workspace) {
			t.Errorf("%s: %s is left or in the workspace: %v", name, got[2], err)
		}
		if text, err := os.ReadFile(filepath.Join(turn.Workspace, "file")); err != nil || string(text) != test.prompt {
			t.Errorf("%s: the file has %d bytes, %v", name, len(text), err)
		}
		text, err := os.ReadFile(filepath.Join(turn.Workspace, "env"))
		if test.inEnv && string(text) != test.prompt || test.inEnv != (err == nil) {
			t.Errorf("%s: the variable has %d bytes, %v", name, len(text), err)
		}
	}
}

// TestScratch: prompts lie in the scratch directory unless the agent works there,
// and those of a process that was killed are removed by the next one.
func TestScratch(t *testing.T) {
	t.Parallel()
	scratch := t.TempDir()
	old := filepath.Join(scratch, "prompts", "crucible-prompt-1")
	if err := os.MkdirAll(old, 0o700); err != nil {
		t.Fatal(err)
	}
	c := &command{}
	if err := c.Configure(t.Context(), plugin.Config{ScratchDir: scratch}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(old); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("an old prompt is left: %v", err)
	}
	for workspace, inside := range map[string]bool{t.TempDir(): true, scratch: false, filepath.Dir(scratch): false, scratch + "/prompts": false, "/": false} {
		path, remove, err := c.writePrompt("p", workspace)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.HasPrefix(path, scratch+"/"); got != inside {
			t.Errorf("workspace %s: the prompt is in %s", workspace, path)
		}
		remove()
	}
}

func TestSession(t *testing.T) {
	t.Parallel()
	turn := newTurn(t, `echo "$CRUCIBLE_AGENT_SESSION $CRUCIBLE_AGENT_SESSION_ID $CRUCIBLE_AGENT_SESSION_ACTION"`)
	turn.Session = &transport.Session{Name: "main", Action: transport.SessionStart, Turn: 1}
	events, result, err := run(t.Context(), turn)
	if err != nil || len(result.Cursor) < 16 {
		t.Fatalf("the cursor has %d bytes, %v", len(result.Cursor), err)
	}
	line := func(e transport.Event) string { return string(e.(transport.Output).Line) }
	if got, want := line(events[0]), fmt.Sprintf("main %s start", result.Cursor); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	turn.Session = &transport.Session{Name: "main", Action: transport.SessionResume, Turn: 2, Cursor: result.Cursor}
	events, again, err := run(t.Context(), turn)
	if err != nil || string(again.Cursor) != string(result.Cursor) {
		t.Errorf("the cursor changed, or %v", err)
	}
	if got, want := line(events[0]), fmt.Sprintf("main %s resume", result.Cursor); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*transport.Turn){
		"no command":   func(t *transport.Turn) { t.Command = "" },
		"no workspace": func(t *transport.Turn) { t.Workspace += "/missing" },
		"no cursor":    func(t *transport.Turn) { t.Session = &transport.Session{Name: "s", Action: transport.SessionResume} },
		"bad cursor": func(t *transport.Turn) {
			t.Session = &transport.Session{Name: "s", Action: transport.SessionResume, Cursor: []byte("a\x00")}
		},
		"long command": func(t *transport.Turn) { t.Command = ": " + strings.Repeat("x", 1<<20) },
		"long value":   func(t *transport.Turn) { t.Env = []transport.EnvVar{{Name: "A", Value: strings.Repeat("x", 1<<20)}} },
	} {
		turn := newTurn(t, "true")
		change(&turn)
		if _, _, err := run(t.Context(), turn); !errors.Is(err, contract.ErrInvalid) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// TestStop: however a turn is cut short, its processes are gone when it returns.
func TestStop(t *testing.T) {
	t.Parallel()
	deaf := errors.New("nobody listens")
	for name, test := range map[string]struct {
		stop func(cancel func()) error
		wait time.Duration
		want error
	}{
		"cancel":   {stop: func(cancel func()) error { cancel(); return nil }, wait: time.Hour, want: context.Canceled},
		"deadline": {stop: func(func()) error { return nil }, wait: time.Second, want: context.DeadlineExceeded},
		"emit":     {stop: func(func()) error { return deaf }, wait: time.Hour, want: deaf},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), test.wait)
			defer cancel()
			var pids string
			_, err := new(command).RunTurn(ctx, newTurn(t, "sleep 600 & echo $$ $!; wait"), func(e transport.Event) error {
				pids += string(e.(transport.Output).Line) + " "
				return test.stop(cancel)
			})
			if !errors.Is(err, test.want) {
				t.Errorf("got %v", err)
			}
			wantGone(t, pids)
		})
	}
}

// TestLeftBehind: what the command leaves in the background does not outlive it.
func TestLeftBehind(t *testing.T) {
	t.Parallel()
	wantGone(t, strings.Join(lines(t, newTurn(t, "sleep 600 & echo $$ $!")), " "))
}

func wantGone(t *testing.T, pids string) {
	t.Helper()
	list := strings.Fields(pids)
	if len(list) < 2 {
		t.Fatalf("process ids: %q", pids)
	}
	for _, text := range list {
		pid, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) && !zombie(pid) {
			t.Errorf("process %d is left: %v", pid, err)
		}
	}
}

// zombie reports whether a process has ended and its parent has not asked how.
func zombie(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, rest, _ := strings.Cut(string(stat), ") ")
	return err == nil && strings.HasPrefix(rest, "Z")
}
