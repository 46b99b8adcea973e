// Package exposure states what a run of a pack can do to the world outside
// (C-CAPABILITY-DISCLOSURE): the bounds on its writes and every reach that cannot
// be bounded. It is made of the manifest alone, without running anything of the
// pack's, from the same values that a run is provisioned with. It also says
// whether what is granted at launch is covered by what was disclosed.
package exposure
