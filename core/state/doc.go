// Package state is the directory that holds what a run leaves behind: the
// session log, the files of earlier runs, the lock that keeps a second engine
// out. It refuses to know what the files say.
//
//	lock            held by the engine that is running; pid and start time
//	run.json        the id of the run whose files lie beside it
//	session.jsonl   its session log
//	history/<id>/   the files of an earlier run
//	freeze.json     what the first setup recorded; belongs to no run
//	scratch/<name>/ working directories; belong to no run
//
// Directories have mode 0700 and files 0600: a log holds diffs, agent output and
// the operator's words, which only the user who runs the engine shall read. A
// directory that is there already keeps its mode. Nothing is ever written
// through a symbolic link.
package state
