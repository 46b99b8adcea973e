// Package proc starts child processes and is the only place that does. Every
// child leads a process group of its own, sees only the descriptors it was
// given, has bounded output, can be stopped, and takes its group with it when
// it ends.
//
// What it cannot hold: a descendant that leaves the group (setsid, setpgid) is
// not killed when the child ends or is stopped; it only loses its output. When
// this program is killed with SIGKILL, Linux kills the child itself, but not
// what the child started; a child that must take its own children along has to
// watch its stdin for end of file. Systems other than Linux do not even kill
// the child then.
//
// Finding a program's path, retrying and deciding what an exit status means
// are the caller's.
package proc
