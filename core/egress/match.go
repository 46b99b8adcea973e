package egress

import "strings"

// Covers reports whether a host, a literal one, is one of those that the
// endpoint stands for.
func (e Endpoint) Covers(host string) bool { return overlap(e.Host, strings.ToLower(host)) }

// overlap reports whether there is a host that both patterns stand for. A
// literal host is a pattern that stands for itself alone.
func overlap(a, b string) bool {
	if !strings.Contains(a+b, "*") {
		return a == b
	}
	if strings.Contains(a, ":") || strings.Contains(b, ":") {
		return false // a name and an address
	}
	return meet(strings.Split(a, "."), strings.Split(b, "."), "**", meetLabels)
}

// meetLabels reports whether two labels can be the same one.
func meetLabels(a, b string) bool {
	return meet(strings.Split(a, ""), strings.Split(b, ""), "*", func(x, y string) bool { return x == y })
}

// meet reports whether two sequences with wildcards can stand for the same
// sequence, in time of their product. A wildcard label stands for one or more
// labels, a wildcard character for any number of them.
func meet(a, b []string, wild string, same func(x, y string) bool) bool {
	least := 0
	if wild == "**" {
		least = 1
	}
	// reach[i][j]: what is before i and j can be the same.
	reach := make([][]bool, len(a)+1)
	for i := range reach {
		reach[i] = make([]bool, len(b)+1)
	}
	reach[0][0] = true
	for i := range len(a) + 1 {
		for j := range len(b) + 1 {
			if reach[i][j] {
				step(reach, a, b, i, j, wild, least, same)
			}
		}
	}
	return reach[len(a)][len(b)]
}

// step marks what can be reached from a place. A wildcard takes elements of the
// other side one by one; before it is passed it must have taken its least.
func step(reach [][]bool, a, b []string, i, j int, wild string, least int, same func(x, y string) bool) {
	if i < len(a) && a[i] == wild {
		for k := j + least; k <= len(b); k++ {
			reach[i+1][k] = true
		}
	}
	if j < len(b) && b[j] == wild {
		for k := i + least; k <= len(a); k++ {
			reach[k][j+1] = true
		}
	}
	if i < len(a) && j < len(b) && a[i] != wild && b[j] != wild && same(a[i], b[j]) {
		reach[i+1][j+1] = true
	}
}
