package main

import "strings"

// names finds the packages that a list of dependencies names. A dependency
// reads "libc6 (>= 2.34) [amd64] | libc6.1".
func names(list string) []string {
	parts := strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == '|' })
	for i, part := range parts {
		part = strings.TrimSpace(part)
		if end := strings.IndexAny(part, " :(["); end >= 0 {
			part = part[:end]
		}
		parts[i] = part
	}
	return parts
}
