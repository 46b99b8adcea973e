// Package outputs holds the bounds on what a run may write outside its workspace
// (C-OUTPUTS): a closed vocabulary of kinds, for each a count per run and, where
// a kind addresses something, a target. It resolves a declaration into one bound
// for every kind and decides which target a write gets. It runs nothing and
// counts nothing: whoever performs the writes does.
package outputs
