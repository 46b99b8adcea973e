// Package proc starts child processes and is the only place that does. Every
// child leads a process group of its own, has no terminal, sees only the
// descriptors it was given, has bounded output, can be stopped, and takes its
// group with it when it ends.
//
// When this program dies, even by SIGKILL, a guard process that was started with
// the first child kills every group that is left. On Linux a child is on the
// guard's list before it runs its first instruction, and the kernel kills it as
// well, without the guard. Elsewhere some microseconds lie between the two, and
// what a child has started by then is missed when this program is killed just
// then.
//
// What it cannot hold: a descendant that leaves the group (setsid, setpgid) is
// not killed when the child ends or is stopped, unless the program has called
// Adopt; it only loses its output. It outlives the SIGKILL of this program.
//
// Finding a program's path, retrying and deciding what an exit status means
// are the caller's.
package proc
