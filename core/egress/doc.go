// Package egress resolves what a sandbox may reach over the network (C-EGRESS):
// which endpoints, and which programs may open a socket at all. It is data and
// arithmetic only. A declaration is parsed once, when the manifest is loaded;
// the sandbox and the disclosure use the same resolution, so that what is
// approved is what is enforced.
package egress
