// Package check finds out whether a pack is sound before anything is spent on it
// (C-SELFTEST, C-COMMANDS, C-BUILD-MODE). What can be seen in the manifest and
// beside it is looked at without running anything; the rest is tried on a copy of
// the pack, so that the user's workspace is never touched.
package check
