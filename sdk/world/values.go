package world

import "time"

// Commands are the domain's shell commands; an empty one does not exist.
// Setup runs in the manifest directory, the others in the workspace.
type Commands struct {
	Setup, Apply, Snapshot, Restore string
	// Time limits; 0 means none. At the limit the whole process group is killed.
	SetupTimeout, ApplyTimeout, SnapshotTimeout, RestoreTimeout time.Duration
}

// Opened is a prepared workspace.
type Opened struct {
	WorldID string
	// Fresh: the workspace did not exist before.
	Fresh bool
	// Commit is what the workspace stands on, empty when there is none yet.
	Commit string
}

// SnapshotRequest asks for a recorded state.
type SnapshotRequest struct {
	// Label is for people: it becomes the commit message.
	Label string
	// Base: this is the pristine base of the run.
	Base bool
}

// Snapshot is a recorded state.
type Snapshot struct {
	// Token is opaque, UTF-8, at most contract.MaxToken bytes.
	Token string
	// Commit is the git half of the token.
	Commit string
	// Changed: the state differs from the one recorded before.
	Changed bool
	// Shortstat is git's one-line summary, empty when nothing changed.
	Shortstat string
}

// Applied is how the apply command ended. A candidate that cannot be applied
// is not an error of the call.
type Applied struct {
	OK       bool
	ExitCode int
	Note     string
}

// Diffed describes a patch.
type Diffed struct {
	// Shortstat is git's one-line summary, empty for an empty patch.
	Shortstat string
	// Truncated: the limit cut the patch.
	Truncated bool
}

// File describes a file of a recorded state.
type File struct {
	// Mode holds permission bits.
	Mode uint32
	// Size is in bytes.
	Size int64
}

// ForkRequest asks for a disposable copy.
type ForkRequest struct {
	// Token names the state to copy.
	Token string
	// Dir is absolute and must not exist.
	Dir string
	// IncludeUncommitted carries over what changed since the token.
	IncludeUncommitted bool
}

// Forked is a disposable copy; it is a world of its own.
type Forked struct {
	WorldID   string
	Workspace string
}

// Adopted is how Adopt ended.
type Adopted struct {
	Clean bool
	// Conflicts are the paths that both sides changed.
	Conflicts []string
}
