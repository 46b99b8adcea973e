// Package world is the interface between the engine and the reversible state
// that an agent changes, with the values that cross it. It has no gRPC in it;
// the adapters are in package worldrpc.
//
// The engine never looks into a token (C-WORLD): it stores what Snapshot
// returned and hands it back to Restore.
package world

import (
	"context"
	"fmt"
	"io"
)

// World moves a workspace between recorded states. At most one writing call
// (Open, Snapshot, Restore, Apply, Adopt) is made per world at a time; a second
// one is answered with contract.ErrConflict. After the end of ctx a call returns
// only when its children are gone.
type World interface {
	// Open prepares the workspace and passes what its commands print to log. See OpenRequest.
	Open(ctx context.Context, req OpenRequest, log func(LogLine)) (Opened, error)
	// Snapshot records the present state (C-WORLD).
	Snapshot(ctx context.Context, worldID string, req SnapshotRequest) (Snapshot, error)
	// Restore brings a recorded state back exactly: modified, added, deleted,
	// renamed and re-moded files, symlinks and untracked files. It returns the
	// commit. A token of another world is contract.ErrNotFound.
	Restore(ctx context.Context, worldID, token string) (commit string, err error)
	// Apply makes the present state take effect.
	Apply(ctx context.Context, worldID string, env []EnvVar, log func(LogLine)) (Applied, error)
	// Diff writes the change from a recorded state to the present one to w as a
	// patch, at most max bytes of it (0: all).
	Diff(ctx context.Context, worldID, fromToken string, max int64, w io.Writer) (Diffed, error)
	// Read writes one file of a recorded state to w, a path relative to the
	// workspace with forward slashes. A path that is absent,
	// absolute, leads out or names no regular file is contract.ErrNotFound.
	Read(ctx context.Context, worldID, token, path string, w io.Writer) (File, error)
	// Fork makes a disposable copy of a recorded state.
	Fork(ctx context.Context, worldID string, req ForkRequest) (Forked, error)
	// Adopt brings what changed in a fork into its parent; a conflict leaves
	// the parent untouched.
	Adopt(ctx context.Context, worldID, forkID string) (Adopted, error)
	// Close lets go of a world. The files of a fork are deleted, those of a main
	// workspace never.
	Close(ctx context.Context, worldID string) error
}

// Features a world may have; Info.Features lists them.
const (
	FeatureCommands = "commands" // apply, snapshot and restore commands
	FeatureFork     = "fork"     // Fork and Adopt
)

// OpenRequest says what workspace is wanted. An existing workspace directory is
// used as it is. A missing one is made by Commands.Setup, else cloned from
// Source and checked out at its ref, else created empty. In every case it is a
// git repository afterwards (C-COMMANDS).
type OpenRequest struct {
	RunID string
	// Workspace and ManifestDir are absolute.
	Workspace, ManifestDir string
	// Source is nil when the manifest has no [repo].
	Source   *Source
	Commands Commands
	// Env is added to the environment of the commands.
	Env []EnvVar
	// Attach: the workspace must exist already, nothing is set up.
	Attach bool
	// Exclude lists workspace-relative paths that no snapshot holds and no
	// restore touches: the engine's own files.
	Exclude []string
}

// Source is a repository; exactly one of URL and Path is set.
type Source struct {
	URL string
	// Path is absolute.
	Path string
	// Ref is a branch, tag or commit; empty means the default branch.
	Ref string
}

// EnvVar is one variable of a command's environment. Its value is never shown.
type EnvVar struct{ Name, Value string }

// String shows the name only.
func (e EnvVar) String() string { return e.Name + "=…" }

// Format keeps %+v and %#v from showing the value.
func (e EnvVar) Format(f fmt.State, _ rune) { fmt.Fprint(f, e.String()) }

// MarshalText does the same for a logger that writes JSON. There is no way back.
func (e EnvVar) MarshalText() ([]byte, error) { return []byte(e.String()), nil }

// LogLine is one line that a command printed.
type LogLine struct {
	// Line is without its newline, at most contract.MaxLine bytes.
	Line      []byte
	Truncated bool
	Stderr    bool
}
