// Package report shows a run to people and programs while it goes on, and writes
// RESULTS.md, the table the agent reads. It refuses to decide anything: all it
// knows are the events of the session log.
//
// Every text that an agent, a command or a manifest had a hand in is neutralised
// before it reaches a terminal or a Markdown file: control characters, escape
// sequences and characters that change the direction of writing show as text.
package report
