// Command crucible-world-command is the world of a pack with [world] commands
// (C-WORLD): git memory of the workspace's files as crucible-world-git has it,
// and beside it the state of a domain that only the pack's commands know, a
// database or a cluster for instance.
//
// Commands run with sh -c in the workspace, with the environment that the engine
// sends. snapshot_cmd prints one token on its last line, which restore_cmd gets
// back in CRUCIBLE_TOKEN; what the token means is the domain's affair. apply_cmd
// makes the files of the workspace take effect.
//
// A fork is a copy of the files alone: there is one domain, so no command runs
// for a fork.
package main

import (
	"github.com/crucible-engine/crucible/plugins/internal/gitplugin"
	"github.com/crucible-engine/crucible/sdk"
	"github.com/crucible-engine/crucible/sdk/proc"
	"github.com/crucible-engine/crucible/sdk/world"
)

// info describes the plugin.
func info() sdk.Info {
	return sdk.Info{
		Name: "command", Version: "0.1.0",
		Features: []string{world.FeatureCommands, world.FeatureFork}, NeedsEnv: gitplugin.NeedsEnv(),
	}
}

func main() {
	_ = proc.Adopt() // best effort: what a command leaves behind ends with it
	sdk.ServeWorld(info(), newCommand())
}
