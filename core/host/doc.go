// Package host finds, checks, starts, watches and stops the plugins of a run,
// and gives the engine typed clients for them. It is the only package of the
// core that knows go-plugin and gRPC.
//
// What it refuses: a plugin found on PATH, beside the engine's own executable
// (C-PATHS), in the workspace, or where another user could have put it; a
// binary that the operator does not trust; a binary other than the one whose
// hash was taken; and a plugin that speaks another contract. A manifest names
// a plugin, never a path.
//
// One process serves all calls to a plugin during a run. It is started on first
// use and started again, a few times, when it dies.
package host
