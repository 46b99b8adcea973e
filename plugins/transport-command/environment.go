package main

import (
	"crypto/rand"
	"slices"
	"strings"

	"github.com/crucible-engine/crucible/sdk/transport"
)

// maxVariable is the most bytes of one variable, name and all. Linux takes
// 128 KiB with the zero byte at its end; the rest is slack.
const maxVariable = 127 << 10

// environment is what the command gets: the turn's variables, the last of a name
// wins, and ours over them.
func environment(turn transport.Turn, promptFile, session string) []string {
	var env []string
	unset := func(name string) {
		env = slices.DeleteFunc(env, func(entry string) bool { return strings.HasPrefix(entry, name+"=") })
	}
	set := func(name, value string) {
		unset(name)
		env = append(env, name+"="+value)
	}
	for _, v := range turn.Env {
		set(v.Name, v.Value)
	}
	for _, name := range []string{"TRACEPARENT", "TRACESTATE", "CRUCIBLE_PROMPT"} {
		unset(name)
	}
	set("CRUCIBLE_PROMPT_FILE", promptFile)
	if len("CRUCIBLE_PROMPT=")+len(turn.Prompt) <= maxVariable && !strings.ContainsRune(turn.Prompt, 0) {
		set("CRUCIBLE_PROMPT", turn.Prompt)
	}
	if s := turn.Session; s != nil {
		set("CRUCIBLE_AGENT_SESSION", s.Name)
		set("CRUCIBLE_AGENT_SESSION_ID", session)
		set("CRUCIBLE_AGENT_SESSION_ACTION", s.Action.String())
	}
	return env
}

// sessionID is the word that the turns of a session have in common. It is made
// for the first one and comes back as the cursor of the others.
func sessionID(s *transport.Session) (string, error) {
	switch {
	case s == nil:
		return "", nil
	case strings.ContainsRune(s.Name, 0):
		return "", refuse("session.name", "has a zero byte")
	case s.Action == transport.SessionStart:
		return rand.Text(), nil
	case len(s.Cursor) == 0 || slices.Contains(s.Cursor, 0):
		return "", refuse("session.cursor", "not one of this transport")
	default:
		return string(s.Cursor), nil
	}
}
