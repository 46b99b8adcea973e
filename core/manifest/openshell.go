package manifest

import (
	"path"

	"github.com/crucible-engine/crucible/core/diag"
	"github.com/crucible-engine/crucible/core/egress"
)

// openshell reads [agent.openshell], whose absence means the defaults (C-EGRESS).
// Entries are parsed here and nowhere else.
func (p *pack) openshell(t value) {
	d := &p.m.Agent.Egress
	t.read(
		endpoints("endpoints", &d.Endpoints),
		endpoints("deny_endpoints", &d.DenyEndpoints),
		imagePaths("binaries", &d.Binaries),
		imagePaths("deny_binaries", &d.DenyBinaries),
		imagePaths("read_only_paths", &d.ReadOnlyPaths),
		flag("inherit_defaults", &d.InheritDefaults),
	)
}

// maxEndpoints bounds a list of endpoints: every allowed one is compared with
// every denied one.
const maxEndpoints = 256

func endpoints(name string, to *[]egress.Endpoint) field {
	each := list(name, func(v value, s string) {
		e, err := egress.ParseEndpoint(s)
		if err != nil {
			v.fault(`write "host:port:access", access is full, read-write or read-only`, "%s: %v", diag.Quote(s, shown), err)
			return
		}
		*to = append(*to, e)
	})
	return field{name: name, read: func(v value) {
		if n := len(v.node.items); n > maxEndpoints {
			v.fault("", "%d endpoints are given, more than the limit of %d", n, maxEndpoints)
			return
		}
		each.read(v)
	}}
}

// imagePaths are absolute paths in the sandbox's image.
func imagePaths(name string, to *[]string) field {
	return list(name, func(v value, s string) {
		switch {
		case s[0] != '/':
			v.fault("", "%s is not an absolute path in the sandbox", diag.Quote(s, shown))
		case path.Clean(s) != s:
			v.fault("write "+diag.Quote(path.Clean(s), shown), "%s is not a clean path", diag.Quote(s, shown))
		case s == "/":
			v.fault("", "the root of the sandbox cannot be named")
		default:
			*to = append(*to, s)
		}
	})
}
