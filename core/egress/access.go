package egress

// Access is what may be done at an endpoint.
type Access int

// Full is everything; the other two are classes of HTTP methods.
const (
	Full Access = iota
	ReadWrite
	ReadOnly
)

// String is the token that a manifest uses.
func (a Access) String() string {
	switch a {
	case ReadWrite:
		return "read-write"
	case ReadOnly:
		return "read-only"
	default:
		return "full"
	}
}

// ParseAccess reads a token; an empty one is full.
func ParseAccess(s string) (Access, bool) {
	for _, a := range []Access{Full, ReadWrite, ReadOnly} {
		if s == a.String() {
			return a, true
		}
	}
	return Full, s == ""
}
