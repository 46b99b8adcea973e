package transportrpc

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/crucible-engine/crucible/sdk/contract"
	"github.com/crucible-engine/crucible/sdk/transport"
)

// opTurn names the call in errors.
const opTurn = "run turn"

// refuse is an error about a field of a turn. It never shows the value.
func refuse(field, format string, args ...any) error {
	return &contract.Error{Kind: contract.KindInvalid, Op: opTurn, Subject: field, Message: fmt.Sprintf(format, args...)}
}

// checkTurn holds the limits and the forms of a request.
func checkTurn(t transport.Turn) error {
	switch {
	case t.RunID == "":
		return refuse("run_id", "missing")
	case t.TurnID == "":
		return refuse("turn_id", "missing")
	case !filepath.IsAbs(t.Workspace) || strings.ContainsRune(t.Workspace, 0):
		return refuse("workspace", "not an absolute path")
	case len(t.Prompt) > contract.MaxPrompt:
		return refuse("prompt", "%d bytes; the limit is %d", len(t.Prompt), contract.MaxPrompt)
	case len(t.Options) > contract.MaxSettings:
		return refuse("options_json", "%d bytes; the limit is %d", len(t.Options), contract.MaxSettings)
	case len(t.Options) > 0 && !(bytes.HasPrefix(bytes.TrimSpace(t.Options), []byte("{")) && json.Valid(t.Options)):
		return refuse("options_json", "not one JSON object")
	}
	for i, e := range t.Env {
		if e.Name == "" || strings.ContainsAny(e.Name, "=\x00") || strings.ContainsRune(e.Value, 0) {
			return refuse(fmt.Sprintf("env[%d]", i), "not a variable: a name is not empty and has no '=', neither part has a NUL")
		}
	}
	return checkSession(t.Session)
}

func checkSession(s *transport.Session) error {
	switch {
	case s == nil:
		return nil
	case s.Name == "":
		return refuse("session.name", "missing")
	case s.Action != transport.SessionStart && s.Action != transport.SessionResume:
		return refuse("session.action", "neither start nor resume")
	case len(s.Cursor) > contract.MaxCursor:
		return refuse("session.cursor", "%d bytes; the limit is %d", len(s.Cursor), contract.MaxCursor)
	default:
		return nil
	}
}

// checkResult finds what a plugin must not answer.
func checkResult(r transport.Result) error {
	wrong := func(field, message string) error {
		return &contract.Error{Kind: contract.KindInternal, Op: opTurn, Subject: "result." + field, Message: message}
	}
	switch {
	case r.Outcome != transport.OutcomeCompleted && r.Outcome != transport.OutcomeFailed:
		return wrong("outcome", "neither completed nor failed")
	case !transport.ValidCost(r.CostUSD):
		return wrong("cost_usd", "not a finite number of at least 0")
	case len(r.Cursor) > contract.MaxCursor:
		return wrong("cursor", fmt.Sprintf("%d bytes; the limit is %d", len(r.Cursor), contract.MaxCursor))
	default:
		return nil
	}
}

// bound makes an event fit to be sent and to be written to a log: a line is cut,
// and an activity that is no event of the log becomes the output that it came from.
func bound(event transport.Event) transport.Event {
	switch e := event.(type) {
	case transport.Output:
		if e.Stream != transport.Stderr {
			e.Stream = transport.Stdout
		}
		if len(e.Line) > contract.MaxLine {
			e.Line, e.Truncated = cut(e.Line, contract.MaxLine), true
		}
		return e
	case transport.Activity:
		if len(e.JSON) <= contract.MaxLine && e.Valid() {
			return e
		}
		return bound(transport.Output{Stream: transport.Stdout, Line: e.JSON})
	default:
		return event
	}
}

// cut is the beginning of line, at most max bytes, ending between two characters.
func cut(line []byte, max int) []byte {
	for back := 1; back < utf8.UTFMax; back++ {
		if utf8.RuneStart(line[max]) {
			break
		}
		max--
	}
	return line[:max]
}
