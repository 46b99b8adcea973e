package conformance

import (
	"github.com/crucible-engine/crucible/sdk/plugin"
	"github.com/crucible-engine/crucible/sdk/transport"
	"github.com/crucible-engine/crucible/sdk/world"
)

// Target is the plugin that is tried: a command line, or a value in this
// process.
type Target struct {
	// Command is the plugin's command line, the path of its binary first. It is
	// started as the engine starts it.
	Command []string
	// Env is added to the environment of the process, as NAME=VALUE.
	Env []string

	// Info describes the value in Transport or World. It is not used with Command.
	Info plugin.Info
	// Transport, or World, is the value that is tried when there is no Command.
	Transport transport.Transport
	World     world.World

	// Settings configure the plugin; nil for none.
	Settings plugin.Settings
	// Script makes a turn whose agent runs a script of the POSIX shell in the
	// workspace and prints what that prints. Nil sets Turn.Command to the script.
	Script func(turn *transport.Turn, script string)
}
