// Package inject places the pack's files in a workspace (C-COMMANDS). It reads
// the sources once, at the start of a run, and writes them without ever
// following what an agent put in the way.
package inject
