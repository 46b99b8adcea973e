package plugin

import (
	"context"

	"github.com/hashicorp/go-hclog"
)

// Config is what a plugin is given once, before the first call of its kind.
type Config struct {
	Settings Settings
	// RunID names the run in logs and in what the plugin creates outside.
	RunID string
	// ScratchDir is a directory of this plugin alone, mode 0700. It outlives the
	// process: a later run with the same state directory is given the same one.
	ScratchDir string
	// Log goes to the engine's log. It is never nil.
	Log hclog.Logger
}

// Report is what a look at the machine found.
type Report struct {
	Diagnostics []Diagnostic
	// Facts are for people: "cli version" to "2.1.0".
	Facts map[string]string
}

// The abilities that a plugin may have beside its kind. The SDK looks for them
// on the value that it serves.
type (
	// Validator checks settings offline and changes nothing. Without it a plugin
	// that is no Configurer accepts no settings at all, and one that is a
	// Configurer is not asked before it is configured.
	Validator interface {
		Validate(ctx context.Context, settings Settings) ([]Diagnostic, error)
	}
	// Configurer takes its configuration once. A bad key is a contract.Error of
	// KindInvalid with the key path as subject; Settings.Decode and Err make one.
	Configurer interface {
		Configure(ctx context.Context, config Config) error
	}
	// Checker looks at the machine: is the CLI installed, the image present.
	Checker interface {
		Check(ctx context.Context) (Report, error)
	}
	// Shutdowner lets go of what the plugin holds. It is called once, when no call
	// is in flight any more or the grace is over; ctx ends when the process will.
	// It must not rely on being called: a plugin can be killed.
	Shutdowner interface {
		Shutdown(ctx context.Context) error
	}
)
