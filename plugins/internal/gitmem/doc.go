// Package gitmem is the memory of a workspace: it records states of a directory
// and brings them back exactly, over the git command line.
//
// # Two repositories
//
// An agent owns its workspace, .git included: it may plant hooks, filters and
// configuration there, move branches, throw objects away or replace the lot. So
// git never runs on that repository. The memory keeps a repository of its own,
// the shadow, in a directory that the agent has no business with. All git calls
// use the shadow's configuration, index, references and objects, and the
// workspace only as the tree of files.
//
// The repository in the workspace, the visible one, is for the agent and for
// people: after every operation it is made to agree with the shadow (objects,
// branch, index) and its configuration, hooks and info files are put back to the
// copy that was taken when the workspace was opened. That is done with plain
// file operations that follow no symbolic link out of the repository.
//
// # What a state is
//
// Bytes go in and come out unchanged: line-ending conversion, filters and the
// like are off. A state holds the content, the executable bit and the link
// target of every file that .gitignore does not match. It does not hold
// permissions beyond that bit, times, extended attributes, empty directories,
// sockets, pipes and devices. A repository inside the workspace is recorded as
// plain files, without its own .git.
//
// What it does not promise: the order of a crash of the machine (as with git,
// nothing is flushed to the disk per operation), and anything about a process
// that still writes to the workspace while an operation runs.
package gitmem
