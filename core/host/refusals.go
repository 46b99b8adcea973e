package host

import (
	"fmt"
	"strings"

	"github.com/crucible-engine/crucible/sdk/contract"
)

// NotFoundError says that no binary has the name of a plugin.
type NotFoundError struct {
	Ref Ref
	// Looked lists the directories that were searched, in order.
	Looked []string
}

// Error lists the places and the ways out.
func (e *NotFoundError) Error() string {
	return fmt.Sprintf("plugin %s not found: no file %s in %s; install it in one of these, add its directory to CRUCIBLE_PLUGIN_PATH, or name it with --plugin %s=/absolute/path",
		e.Ref, e.Ref.Binary(), strings.Join(e.Looked, ", "), e.Ref)
}

// Is matches contract.ErrInvalid: trying again does not help.
func (e *NotFoundError) Is(target error) bool { return target == contract.ErrInvalid }

// RuleError says that a binary lies where, or is as, no plugin may be.
type RuleError struct {
	Ref Ref
	// Path is what breaks the rule: the binary or a directory above it.
	Path string
	// Rule says what is wrong with it: "is writable by everybody".
	Rule string
	// WayOut may be empty.
	WayOut string
}

// Error names the path, what is wrong with it and the way out.
func (e *RuleError) Error() string { return fmt.Sprintf("plugin %s refused: %s", e.Ref, e.why()) }

func (e *RuleError) why() string { return withWayOut(e.Path+" "+e.Rule, e.WayOut) }

// Is matches contract.ErrInvalid: trying again does not help.
func (e *RuleError) Is(target error) bool { return target == contract.ErrInvalid }

// TrustError says that the operator does not trust a binary.
type TrustError struct {
	Ref  Ref
	Path string
	// SHA256 is the hash of the binary, in hexadecimal.
	SHA256 string
	// Trusted is the hash that the lock file has for the path, empty when it
	// has none.
	Trusted string
	// LockFile is where trust is recorded, empty when neither XDG_CONFIG_HOME
	// nor HOME says where that is.
	LockFile string
}

// Changed reports whether another binary at the same path is trusted.
func (e *TrustError) Changed() bool { return e.Trusted != "" }

// Error says why the binary is not trusted and how the operator can trust it.
func (e *TrustError) Error() string {
	return fmt.Sprintf("plugin %s refused: %s %s", e.Ref, e.Path, e.why())
}

func (e *TrustError) why() string {
	why := fmt.Sprintf("is not trusted: %s has no entry for sha256 %s", e.LockFile, short(e.SHA256))
	switch {
	case e.LockFile == "":
		why = "is not trusted: neither XDG_CONFIG_HOME nor HOME says where the lock file is"
	case e.Changed():
		why = fmt.Sprintf("has changed since it was trusted: its sha256 is %s, that in %s is %s", short(e.SHA256), e.LockFile, short(e.Trusted))
	}
	return withWayOut(why, "crucible plugin trust "+e.Path)
}

// Is matches contract.ErrInvalid: trying again does not help.
func (e *TrustError) Is(target error) bool { return target == contract.ErrInvalid }

// VersionError says that a plugin and this engine speak different contracts.
type VersionError struct {
	Ref  Ref
	Path string
	// Plugin is the plugin's own version, empty when it did not say.
	Plugin string
	// Contract is the plugin's contract version, or only the number it offered
	// at the handshake.
	Contract string
	// Engine is the engine's contract version.
	Engine string
	// Newer says that the plugin's contract is newer than the engine's.
	Newer bool
}

// Error names both sides' versions and the way out.
func (e *VersionError) Error() string {
	plugin := e.Path
	if e.Plugin != "" {
		plugin += " version " + e.Plugin
	}
	return fmt.Sprintf("plugin %s: %s %s", e.Ref, plugin, e.why())
}

func (e *VersionError) why() string {
	way := "install a version of the plugin built for contract " + e.Engine
	if e.Newer {
		way += ", or a newer crucible"
	}
	return withWayOut(fmt.Sprintf("speaks contract %s, this crucible speaks %s", e.Contract, e.Engine), way)
}

// Is matches contract.ErrInvalid: trying again does not help.
func (e *VersionError) Is(target error) bool { return target == contract.ErrInvalid }

func withWayOut(text, way string) string {
	if way == "" {
		return text
	}
	return text + "; " + way
}

// short is the part of a hash that is shown to people.
func short(sha256 string) string {
	if len(sha256) > 12 {
		return sha256[:12]
	}
	return sha256
}
