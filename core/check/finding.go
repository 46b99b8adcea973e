package check

import (
	"slices"

	"github.com/crucible-engine/crucible/core/diag"
	"github.com/crucible-engine/crucible/core/manifest"
)

// Finding is one thing that is wrong with a pack, or that its author should know.
type Finding struct {
	// ID names the kind of finding. It does not change between versions.
	ID string
	diag.Diagnostic
}

// The ids. Findings are errors unless they say otherwise.
const (
	IDManifest      = "manifest"                 // the manifest is refused
	IDWarning       = "manifest-warning"         // a warning of the manifest's reader
	IDNotYet        = "not-supported-yet"        // a warning: this version cannot run it
	IDGoal          = "goal-missing"             // an error in the task lane, else a warning
	IDEnvUnset      = "env-unset"                // [agent.env] asks for a variable that is not set
	IDEnvUndeclared = "env-undeclared"           // a warning: credentials without a declared reach
	IDEnvContext    = "env-context"              // a warning: declared as the broker's, and in the agent's reach
	IDShadow        = "deny-shadowed"            // a warning: a deny that a wider allow outlives
	IDTaskLane      = "task-lane"                // a warning: nothing is scored
	IDNoSelftest    = "no-selftest"              // a warning
	IDToolbox       = "toolbox-exclude"          // [world] commands and a toolbox that excludes nothing
	IDRelayFile     = "relay-file"               // the source of a relay is not there
	IDContainerfile = "containerfile-not-frozen" // the recipe is the agent's to edit
	IDScript        = "script-not-frozen"        // a warning: what measures is the agent's to edit
	IDNotTried      = "setup-not-tried"          // a warning
	IDBuildNotTried = "build-not-tried"          // a warning
	IDSetup         = "setup-failed"             // the workspace cannot be set up
	IDMeasure       = "measure-failed"           // the measure command does not give a valid reading
	IDNoScore       = "measure-no-score"         // a warning: valid, and no number
	IDSelftest      = "selftest-failed"          // a state could not be made or measured
	IDSelftestSame  = "selftest-not-discriminating"
	IDSelftestNoise = "selftest-overlap" // a warning: good and bad overlap
	IDRestore       = "restore-failed"   // the state before could not be brought back
)

// at makes a finding about a key of the manifest.
func at(m *manifest.Manifest, id string, severity diag.Severity, message, fix string, keys ...string) Finding {
	line, col := m.At(keys...)
	path := ""
	for i, key := range keys {
		if i > 0 {
			path += "."
		}
		path += key
	}
	return Finding{id, diag.Diagnostic{
		Severity: severity, File: m.Path, Line: line, Col: col, Path: path, Message: diag.Clean(message, 2000), Hint: fix,
	}}
}

// OfManifest turns what the manifest's reader said into findings.
func OfManifest(list diag.List) []Finding {
	var out []Finding
	for _, d := range list {
		id := IDManifest
		if d.Severity == diag.Warning {
			id = IDWarning
		}
		out = append(out, Finding{id, d})
	}
	return out
}

// Failed reports whether a finding is an error: then the pack is not sound.
func Failed(findings []Finding) bool {
	return slices.ContainsFunc(findings, func(f Finding) bool { return f.Severity == diag.Error })
}
