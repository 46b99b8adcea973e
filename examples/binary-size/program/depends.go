package main

import "regexp"

// A dependency reads "libc6 (>= 2.34) [amd64] | libc6.1".
var dependency = regexp.MustCompile(`(?:^|[,|])\s*([a-z0-9][a-z0-9+.-]*)(?::[a-z0-9]+)?`)

// names finds the packages that a list of dependencies names.
func names(list string) []string {
	var found []string
	for _, match := range dependency.FindAllStringSubmatch(list, -1) {
		found = append(found, match[1])
	}
	return found
}
