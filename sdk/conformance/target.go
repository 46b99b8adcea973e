package conformance

import (
	"github.com/crucible-engine/crucible/sdk/plugin"
	"github.com/crucible-engine/crucible/sdk/transport"
	"github.com/crucible-engine/crucible/sdk/world"
)

// Target is the plugin that is tried: a command line, or values in this process.
type Target struct {
	// Command is the plugin's command line, the path of its binary first. It is
	// started as the engine starts it.
	Command []string
	// Env is added to the environment of the process, as NAME=VALUE.
	Env []string

	// Info describes what Transport or World makes. It is not used with Command.
	Info plugin.Info
	// Transport, or World, makes what is tried when there is no Command: a new
	// value for each case, as each case has a process of its own otherwise.
	Transport func() transport.Transport
	World     func() world.World

	// Settings configure the plugin; nil for none.
	Settings plugin.Settings
	// Script makes a turn whose agent runs a script of the POSIX shell in the
	// workspace and prints what that prints. Nil sets Turn.Command to the script.
	Script func(turn *transport.Turn, script string)
}
