// Package diag says what is wrong with a file that a person wrote, and where:
// positions, severities, key paths and did-you-mean. It reads no files and
// prints nothing itself.
package diag
