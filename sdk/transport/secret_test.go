package transport_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/go-hclog"

	"github.com/crucible-engine/crucible/sdk/transport"
)

// TestSecretsAreNeverShown prints a turn and its parts in every way a program
// comes by when it logs.
func TestSecretsAreNeverShown(t *testing.T) {
	t.Parallel()
	turn := transport.Turn{
		RunID: "run1", TurnID: "turn1", Task: "iteration", Workspace: "/w", Prompt: "SECRET-prompt",
		Env:         []transport.EnvVar{{Name: "KEY", Value: "SECRET-value", Secret: true}},
		Session:     &transport.Session{Name: "s", Action: transport.SessionResume, Cursor: []byte("SECRET-cursor")},
		Broker:      &transport.Broker{URL: "http://broker", Bearer: "SECRET-bearer"},
		Options:     []byte(`{"token":"SECRET-option"}`),
		Command:     "sh SECRET-command",
		Traceparent: "SECRET-trace",
	}
	result := transport.Result{Note: "fine", Cursor: []byte("SECRET-cursor")}
	values := map[string]any{
		"turn": turn, "*turn": &turn, "[]turn": []transport.Turn{turn}, "map": map[string]transport.Turn{"t": turn},
		"env": turn.Env, "env var": turn.Env[0], "session": *turn.Session, "*session": turn.Session,
		"broker": *turn.Broker, "*broker": turn.Broker, "result": result, "*result": &result,
		"within": struct{ T transport.Turn }{turn}, "*within": &struct{ T *transport.Broker }{turn.Broker},
	}
	for name, value := range values {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d"} {
			show(t, name+" "+verb, fmt.Sprintf(verb, value))
		}
		if text, err := json.Marshal(value); err == nil {
			show(t, name+" as JSON", string(text))
		}
		for _, asJSON := range []bool{true, false} {
			var log strings.Builder
			hclog.New(&hclog.LoggerOptions{Output: &log, JSONFormat: asJSON}).Info("message", "value", value)
			show(t, name+" logged", log.String())
		}
	}
	if got := fmt.Sprint(turn); !strings.Contains(got, "turn1") || !strings.Contains(got, "13 bytes") {
		t.Errorf("a turn is shown as %q", got)
	}
	if got := fmt.Sprint(turn.Env[0]); !strings.Contains(got, "KEY") {
		t.Errorf("a variable is shown as %q", got)
	}
}

func show(t *testing.T, how, text string) {
	t.Helper()
	for _, form := range []string{"SECRET", fmt.Sprintf("%x", "SECRET"), fmt.Sprintf("%X", "SECRET"), "U0VDUkVU", "83 69 67 82 69 84"} {
		if strings.Contains(text, form) {
			t.Errorf("%s shows a secret: %s", how, text)
		}
	}
}
