package transport

import (
	"bytes"
	"encoding/json"
	"math"
	"regexp"
)

// KnownActivity reports whether kind is one that the session log has today
// (C-WIRE). The list is closed for what an agent prints; a transport may pass
// on a kind that is newer.
func KnownActivity(kind string) bool {
	switch kind {
	case "meta", "log", "gate", "init", "thinking", "text", "tool", "tokens", "retry", "error",
		"result", "otel_summary", "exit", "sandbox_log", "raw":
		return true
	default:
		return false
	}
}

// ParseActivity reads a line that an agent printed: a JSON object that carries
// "v" and a known "kind" is an Activity, anything else is not.
func ParseActivity(line []byte) (Activity, bool) {
	line = bytes.TrimSpace(line)
	if len(line) == 0 || line[0] != '{' {
		return Activity{}, false
	}
	var object map[string]json.RawMessage
	if json.Unmarshal(line, &object) != nil || object["v"] == nil {
		return Activity{}, false
	}
	var kind string
	if json.Unmarshal(object["kind"], &kind) != nil || !KnownActivity(kind) {
		return Activity{}, false
	}
	delete(object, "v")
	delete(object, "kind")
	text, err := json.Marshal(object)
	return Activity{Kind: kind, JSON: text}, err == nil
}

// Cost is what the activity says the turn has cost so far, in US dollars. Only
// result, otel_summary and tokens say so.
func (a Activity) Cost() (usd float64, ok bool) {
	switch a.Kind {
	case "result", "otel_summary", "tokens":
	default:
		return 0, false
	}
	var body struct {
		USD *float64 `json:"cost_usd"`
	}
	if json.Unmarshal(a.JSON, &body) != nil || body.USD == nil || !ValidCost(*body.USD) {
		return 0, false
	}
	return *body.USD, true
}

// Failed reports whether the activity says that the agent failed: an error, or
// a result with is_error set.
func (a Activity) Failed() bool {
	var body struct {
		IsError bool `json:"is_error"`
	}
	switch a.Kind {
	case "error":
		return true
	case "result":
		return json.Unmarshal(a.JSON, &body) == nil && body.IsError
	default:
		return false
	}
}

// ValidCost reports whether usd can be a cost: finite and not negative.
func ValidCost(usd float64) bool { return usd >= 0 && !math.IsInf(usd, 1) }

var kindRule = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// Valid reports whether the activity can be sent and written to a log as it is:
// the kind has the form of a token and JSON is one object. An empty JSON is not.
func (a Activity) Valid() bool {
	text := bytes.TrimSpace(a.JSON)
	return len(a.Kind) <= 64 && kindRule.MatchString(a.Kind) && len(text) > 0 && text[0] == '{' && json.Valid(text)
}
