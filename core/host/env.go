package host

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/crucible-engine/crucible/sdk/contract"
)

var envPattern = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// alwaysPassed are the variables that every plugin finds in its environment.
func alwaysPassed() []string {
	return []string{"PATH", "HOME", "LANG", "TMPDIR", "XDG_RUNTIME_DIR"}
}

// pluginEnv is the environment of a plugin before go-plugin adds its own: what
// every plugin gets and what the operator granted to this one. Nothing else of
// the engine's environment reaches a plugin.
func pluginEnv(getenv func(string) string, granted []string) []string {
	var env []string
	for _, name := range slices.Concat(alwaysPassed(), granted) {
		if value := getenv(name); value != "" {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// grantable refuses names that would change how a plugin and its host meet.
func grantable(name string) error {
	if len(name) > 128 || !envPattern.MatchString(name) {
		return fmt.Errorf("%.100q is not a name of an environment variable", name)
	}
	if name == contract.CookieKey || strings.HasPrefix(name, "PLUGIN_") {
		return fmt.Errorf("environment variable %s belongs to the handshake", name)
	}
	return nil
}

// ungranted lists what a plugin asks for and does not get.
func ungranted(wanted, granted []string) []string {
	var missing []string
	for _, name := range wanted {
		if !slices.Contains(granted, name) && !slices.Contains(alwaysPassed(), name) {
			missing = append(missing, name)
		}
	}
	return missing
}
