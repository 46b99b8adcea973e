// Command crucible-world-git keeps a workspace in git: the world of a pack
// without [world] commands (C-WORLD). What it promises about states, and how it
// stays out of the agent's reach, is said in package gitmem.
package main

import (
	"github.com/crucible-engine/crucible/sdk"
	"github.com/crucible-engine/crucible/sdk/world"
)

// info describes the plugin. The variables are what a clone over the network
// may need.
var info = sdk.Info{
	Name: "git", Version: "0.1.0",
	Features: []string{world.FeatureFork},
	NeedsEnv: []string{
		"SSH_AUTH_SOCK", "GIT_SSH_COMMAND", "GIT_SSL_CAINFO", "SSL_CERT_FILE", "SSL_CERT_DIR", "XDG_CONFIG_HOME",
		"https_proxy", "HTTPS_PROXY", "no_proxy", "NO_PROXY", "all_proxy", "ALL_PROXY",
	},
}

func main() { sdk.ServeWorld(info, &git{}) }
