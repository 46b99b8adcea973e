package host

import (
	"errors"
	"fmt"

	"github.com/crucible-engine/crucible/sdk/contract"
	"github.com/crucible-engine/crucible/sdk/proc"
)

// ErrClosed is the answer of a host that was closed.
var ErrClosed = errors.New("plugin host is closed")

// StartError says that a plugin did not come up.
type StartError struct {
	Ref  Ref
	Path string
	// Err is the cause.
	Err error
	// Tail is the end of what the plugin wrote to stderr, at most
	// contract.StderrTail bytes.
	Tail string
}

// Error names the plugin, the cause and the last lines of its stderr.
func (e *StartError) Error() string {
	return fmt.Sprintf("start plugin %s (%s): %s", e.Ref, e.Path, e.why())
}

func (e *StartError) why() string { return e.Err.Error() + excerpt(e.Tail) }

// Unwrap gives the cause.
func (e *StartError) Unwrap() error { return e.Err }

// Is matches contract.ErrUnavailable unless the cause has a kind of its own.
func (e *StartError) Is(target error) bool {
	return target == contract.ErrUnavailable && contract.KindOf(e.Err) == contract.KindUnspecified
}

// ExitError says that a plugin's process ended while it was needed.
type ExitError struct {
	Plugin Ref
	// Status is how the process ended.
	Status proc.Exit
	// Tail is the end of what the plugin wrote to stderr, at most
	// contract.StderrTail bytes.
	Tail string
}

// Error names the plugin, the status and the last lines of its stderr.
func (e *ExitError) Error() string {
	return fmt.Sprintf("plugin %s ended: %s%s", e.Plugin, e.Status, excerpt(e.Tail))
}

// Is matches contract.ErrUnavailable: the next call starts the plugin again.
func (e *ExitError) Is(target error) bool { return target == contract.ErrUnavailable }

// RestartError says that a plugin ended too often in one run and is not started
// again.
type RestartError struct {
	Plugin Ref
	// Starts is how often it was started.
	Starts int
	// Last is how it ended the last time.
	Last error
}

// Error names the plugin, the count and the last end.
func (e *RestartError) Error() string {
	return fmt.Sprintf("plugin %s was started %d times in this run and is not started again: %v", e.Plugin, e.Starts, e.Last)
}

// Is matches contract.ErrInternal: trying again does not help.
func (e *RestartError) Is(target error) bool { return target == contract.ErrInternal }

// WorldLostError says that a world's process ended, and with it all that it
// knew of the worlds opened so far. The workspace itself is where it was:
// opening it once more with Attach set gives a world that can restore every
// token. Forks are gone.
type WorldLostError struct {
	Plugin Ref
	// WorldID is the world that was lost.
	WorldID string
	// Err is how the process ended, nil when that was an earlier call's answer.
	Err error
}

// Error names the plugin and the cause.
func (e *WorldLostError) Error() string {
	text := fmt.Sprintf("plugin %s lost the world %s", e.Plugin, e.WorldID)
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text + "; open it again with attach"
}

// Unwrap gives the cause.
func (e *WorldLostError) Unwrap() error { return e.Err }

// Is matches contract.ErrUnavailable.
func (e *WorldLostError) Is(target error) bool { return target == contract.ErrUnavailable }

// WorldLost is true. Packages that must not import this one ask for the method:
//
//	var lost interface{ WorldLost() bool }
//	if errors.As(err, &lost) && lost.WorldLost() { open again with Attach }
func (e *WorldLostError) WorldLost() bool { return true }
