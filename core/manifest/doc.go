// Package manifest turns crucible.toml into values that cannot be wrong
// (C-MANIFEST). It refuses what it does not know, reports every fault of a file
// at once with its position, expands the injects, and loads the frozen text of
// a manifest that lies inside its workspace. It runs nothing.
package manifest
