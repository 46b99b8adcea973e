package egress

import "strings"

// Covers reports whether a host is one of those that the endpoint stands for. The
// host is a literal one in any spelling, an IPv6 address without brackets.
func (e Endpoint) Covers(host string) bool {
	host, ok := literal(host)
	return ok && overlap(e.Host, host)
}

// literal brings the host of a connection into the form that hosts of endpoints
// have; false when it is no host.
func literal(host string) (string, bool) {
	host, rest, err := cutHost(bracketed(host) + ":")
	return host, err == nil && rest == "" && !strings.Contains(host, "*")
}

// lower is for ASCII alone: other letters, some of which have lower-case forms
// in ASCII, stay as they are and match nothing.
func lower(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r - 'A' + 'a'
		}
		return r
	}, s)
}

// overlap reports whether there is a host that both patterns stand for. A
// literal host is a pattern that stands for itself alone. It takes time of the
// length of both: a host has at most one "**", and a label one "*", so it is
// enough to look at what stands before and behind.
func overlap(a, b string) bool {
	if !strings.Contains(a, "*") && !strings.Contains(b, "*") {
		return a == b
	}
	if strings.Contains(a, ":") || strings.Contains(b, ":") {
		return false // a name and an address
	}
	x, y := split(a), split(b)
	switch {
	case !x.any && !y.any && len(x.head) != len(y.head):
		return false
	case !x.any && len(x.head) < y.least():
		return false
	case !y.any && len(y.head) < x.least():
		return false
	}
	// What has no "**" is all head, and is compared from its end as well.
	if !x.any {
		x.tail = x.head
	}
	if !y.any {
		y.tail = y.head
	}
	for i := range min(len(x.head), len(y.head)) {
		if !meet(x.head[i], y.head[i]) {
			return false
		}
	}
	for i := range min(len(x.tail), len(y.tail)) {
		if !meet(x.tail[len(x.tail)-1-i], y.tail[len(y.tail)-1-i]) {
			return false
		}
	}
	return true
}

// labels are those of a host: all of them in head, or what stands before and
// behind its "**".
type labels struct {
	head, tail []string
	any        bool
}

func split(host string) labels {
	all := strings.Split(host, ".")
	for i, l := range all {
		if l == "**" {
			return labels{all[:i], all[i+1:], true}
		}
	}
	return labels{head: all}
}

// least is the fewest labels of a host that is stood for.
func (l labels) least() int {
	if l.any {
		return len(l.head) + 1 + len(l.tail)
	}
	return len(l.head)
}

// meet reports whether two labels can be the same one.
func meet(a, b string) bool {
	if a == b || a == "*" || b == "*" {
		return true
	}
	before, behind, wild := strings.Cut(a, "*")
	start, end, also := strings.Cut(b, "*")
	switch {
	case !wild && !also:
		return false
	case !wild:
		return len(a) >= len(start)+len(end) && strings.HasPrefix(a, start) && strings.HasSuffix(a, end)
	case !also:
		return meet(b, a)
	}
	return (strings.HasPrefix(before, start) || strings.HasPrefix(start, before)) &&
		(strings.HasSuffix(behind, end) || strings.HasSuffix(end, behind))
}
