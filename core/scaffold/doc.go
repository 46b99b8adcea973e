// Package scaffold writes the beginnings of a pack for a repository: a manifest,
// a measure script, a method and a goal. It looks at what kind of project there is
// and proposes how to measure it; what it writes passes `crucible check` as it
// stands, as long as the project's own tests pass.
package scaffold
