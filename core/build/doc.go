// Package build makes what is measured out of what an agent edited (C-BUILD-MODE):
// a layer of sources on a base image, or an image that a command of the pack's
// builds. A candidate that does not build is told apart from one that scores
// badly.
package build
