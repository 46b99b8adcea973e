package conformance

import "os"

// selfVariable marks a process that a test binary started to play its plugin.
const selfVariable = "CRUCIBLE_CONFORMANCE_SELF"

// Self is this binary as a plugin, so that a test has nothing to build. Its
// TestMain asks StartedAsPlugin first thing and, if so, serves. The environment
// is that of Target.Env.
func Self(env ...string) Target {
	return Target{Command: []string{os.Args[0]}, Env: append([]string{selfVariable + "=1"}, env...)}
}

// StartedAsPlugin reports whether this process is to play the plugin of Self.
func StartedAsPlugin() bool { return os.Getenv(selfVariable) != "" }
