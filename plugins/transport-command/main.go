// Command crucible-transport-command runs [agent].agent_cmd as the agent: a
// shell command instead of a model, for tests and for agents of one's own
// (C-TRANSPORT). It is also the example of a transport to start from.
//
// The command runs with sh -c in the workspace. Its environment is that of the
// turn and
//
//	CRUCIBLE_PROMPT_FILE           a file with the prompt, for this turn alone
//	CRUCIBLE_PROMPT                the prompt itself; left out when it is larger
//	                               than 127 KiB, which Linux could not pass on,
//	                               or holds a zero byte
//	CRUCIBLE_AGENT_SESSION         in a session: its name,
//	CRUCIBLE_AGENT_SESSION_ID      a word that stays the same in all its turns,
//	CRUCIBLE_AGENT_SESSION_ACTION  and start or resume
//
// TRACEPARENT and TRACESTATE are taken out. A line on stdout that is a JSON
// object with "v" and a known "kind" is an event of the session log; every other
// line, and all of stderr, is output. The turn has failed when the command
// exits with another status than 0, or says so in an event "error" or a
// "result" with is_error. It is free unless an event reports a cost_usd: then
// the highest counts.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/crucible-engine/crucible/sdk"
	"github.com/crucible-engine/crucible/sdk/proc"
	"github.com/crucible-engine/crucible/sdk/transport"
)

// info describes the plugin.
var info = sdk.Info{
	Name: "command", Version: "0.1.0",
	Features: []string{transport.FeatureSessions, transport.FeatureParallelTurns},
}

func main() {
	if err := proc.Adopt(); err != nil {
		fmt.Fprintln(os.Stderr, "what leaves its process group outlives its turn:", err)
	}
	sdk.ServeTransport(info, &command{})
}

// command is the transport. It holds nothing between two turns.
type command struct {
	// prompts is where the files with prompts are, empty for the system's
	// directory of temporary files.
	prompts string
}

// ReleaseRun has nothing to let go of.
func (*command) ReleaseRun(context.Context, string) error { return nil }
