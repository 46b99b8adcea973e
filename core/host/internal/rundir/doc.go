// Package rundir gives each run a short private directory for sockets and
// removes what crashed runs left behind.
//
// A directory NAME has a lock file NAME.lock beside it, which its owner holds
// locked from before the directory exists until after it is gone. A lock that is
// free therefore means that the owner is dead, however it died, and whoever gets
// it may remove both.
package rundir
