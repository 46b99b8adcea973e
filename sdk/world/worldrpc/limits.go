package worldrpc

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/crucible-engine/crucible/sdk/contract"
	"github.com/crucible-engine/crucible/sdk/world"
)

// The names of the calls in errors.
const (
	opOpen     = "open world"
	opSnapshot = "snapshot world"
	opRestore  = "restore token"
	opApply    = "apply state"
	opDiff     = "diff from token"
	opRead     = "read file"
	opFork     = "fork world"
	opAdopt    = "adopt fork"
	opClose    = "close world"
)

// fault makes an error about one field.
func fault(kind contract.Kind, op, field, format string, args ...any) error {
	return &contract.Error{Kind: kind, Op: op, Subject: field, Message: fmt.Sprintf(format, args...)}
}

// checkOpen holds the form of a request.
func checkOpen(req world.OpenRequest) error {
	wrong := func(field, format string, args ...any) error {
		return fault(contract.KindInvalid, opOpen, field, format, args...)
	}
	switch src := req.Source; {
	case !absolute(req.Workspace):
		return wrong("workspace", "not an absolute path")
	case !absolute(req.ManifestDir):
		return wrong("manifest_dir", "not an absolute path")
	case src == nil:
	case (src.URL == "") == (src.Path == ""):
		return wrong("source", "exactly one of url and path is wanted")
	case src.Path != "" && !absolute(src.Path):
		return wrong("source.path", "not an absolute path")
	}
	c := req.Commands
	for _, limit := range []time.Duration{c.SetupTimeout, c.ApplyTimeout, c.SnapshotTimeout, c.RestoreTimeout} {
		if limit < 0 {
			return wrong("commands", "a time limit of %v", limit)
		}
	}
	for i, path := range req.Exclude {
		if !fs.ValidPath(path) || path == "." {
			return wrong(fmt.Sprintf("exclude[%d]", i), "not a path below the workspace")
		}
	}
	return checkEnv(opOpen, req.Env)
}

func absolute(path string) bool { return filepath.IsAbs(path) && !strings.ContainsRune(path, 0) }

func checkEnv(op string, env []world.EnvVar) error {
	for i, e := range env {
		if e.Name == "" || strings.ContainsAny(e.Name, "=\x00") || strings.ContainsRune(e.Value, 0) {
			return fault(contract.KindInvalid, op, fmt.Sprintf("env[%d]", i),
				"not a variable: a name is not empty and has no '=', neither part has a NUL")
		}
	}
	return nil
}

// checkToken holds the limit on a token that is handed back.
func checkToken(op, token string) error {
	switch {
	case token == "":
		return fault(contract.KindInvalid, op, "token", "missing")
	case len(token) > contract.MaxToken:
		return fault(contract.KindInvalid, op, "token", "%d bytes; the limit is %d", len(token), contract.MaxToken)
	default:
		return nil
	}
}

// checkPath refuses what cannot be a file of a recorded state.
func checkPath(path string) error {
	if fs.ValidPath(path) && path != "." && !strings.ContainsRune(path, 0) {
		return nil
	}
	return fault(contract.KindNotFound, opRead, strings.ToValidUTF8(path, "\uFFFD"), "not a path below the workspace")
}

func checkFork(req world.ForkRequest) error {
	if !absolute(req.Dir) {
		return fault(contract.KindInvalid, opFork, "dir", "not an absolute path")
	}
	return checkToken(opFork, req.Token)
}

// checkSnapshot finds what a plugin must not answer.
func checkSnapshot(s world.Snapshot) error {
	switch {
	case s.Token == "":
		return fault(contract.KindInternal, opSnapshot, "token", "the plugin returned none")
	case len(s.Token) > contract.MaxToken:
		return fault(contract.KindInternal, opSnapshot, "token", "the plugin returned %d bytes; the limit is %d", len(s.Token), contract.MaxToken)
	default:
		return nil
	}
}

// need is an error when a plugin left a field of its answer empty.
func need(op, field, value string) error {
	if value != "" {
		return nil
	}
	return fault(contract.KindInternal, op, field, "the plugin returned none")
}
