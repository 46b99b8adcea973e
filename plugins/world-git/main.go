// Command crucible-world-git keeps a workspace in git: the world of a pack
// without [world] commands (C-WORLD). What it promises about states, and how it
// stays out of the agent's reach, is said in package gitmem.
package main

import (
	"github.com/crucible-engine/crucible/plugins/internal/gitplugin"
	"github.com/crucible-engine/crucible/sdk"
	"github.com/crucible-engine/crucible/sdk/world"
)

// info describes the plugin.
func info() sdk.Info {
	return sdk.Info{Name: "git", Version: "0.1.0", Features: []string{world.FeatureFork}, NeedsEnv: gitplugin.NeedsEnv()}
}

func main() { sdk.ServeWorld(info(), &git{}) }
