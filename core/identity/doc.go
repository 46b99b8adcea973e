// Package identity says whether two runs are comparable: a digest over
// everything that decides what a score means. It is pure and reads no files.
package identity
