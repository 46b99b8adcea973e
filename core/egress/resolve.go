package egress

import (
	"slices"
	"strings"
)

// Source says who asked for something.
type Source string

// The sources, as the disclosure spells them.
const (
	FromBuiltin  Source = "builtin"
	FromManifest Source = "manifest"
	FromBroker   Source = "broker" // the engine's own plumbing
)

// Declaration is what a manifest says ([agent.openshell]). The zero value
// inherits nothing and reaches nothing.
type Declaration struct {
	Endpoints []Endpoint
	// Binaries and DenyBinaries are absolute paths in the sandbox's image.
	Binaries, DenyBinaries []string
	DenyEndpoints          []Endpoint
	// InheritDefaults puts the built-in lists in front.
	InheritDefaults bool
	// ReadOnlyPaths can be read and executed beside the workspace.
	ReadOnlyPaths []string
}

// Allowed is an endpoint of a resolution.
type Allowed struct {
	Endpoint
	Source Source
}

// Binary is a program that may open a socket.
type Binary struct {
	Path   string
	Source Source
}

// Shadow is a deny that a wider allow outlives: the host stays on the list, and
// only the sandbox refuses it, connection by connection.
type Shadow struct {
	Deny  Endpoint
	Allow Allowed
}

// Resolution is all that a sandbox may reach, in the order in which it was asked
// for.
type Resolution struct {
	Endpoints []Allowed
	Binaries  []Binary
	// Deny outranks Endpoints wherever both match, but for the broker's. A literal
	// host stands for its sub-domains too.
	Deny          []Endpoint
	ReadOnlyPaths []string
	Shadows       []Shadow
}

// Resolve applies a declaration to the built-in lists of a harness (C-EGRESS).
// Inheriting appends and never removes a built-in; without it the lists are
// exactly what the declaration names. Denied entries are then taken out. The
// endpoint of the broker comes last and cannot be denied; nil when none runs.
func Resolve(harness string, d Declaration, broker *Endpoint) Resolution {
	r := Resolution{Deny: slices.Clone(d.DenyEndpoints), ReadOnlyPaths: slices.Clone(d.ReadOnlyPaths)}
	if d.InheritDefaults {
		r.add(FromBuiltin, Builtin(harness))
		r.addBinaries(FromBuiltin, BuiltinBinaries(harness))
	}
	r.add(FromManifest, d.Endpoints)
	r.addBinaries(FromManifest, d.Binaries)
	r.Endpoints = slices.DeleteFunc(r.Endpoints, func(a Allowed) bool {
		return slices.ContainsFunc(d.DenyEndpoints, func(deny Endpoint) bool { return deny.removes(a.Endpoint) })
	})
	r.Binaries = slices.DeleteFunc(r.Binaries, func(b Binary) bool { return slices.Contains(d.DenyBinaries, b.Path) })
	r.Shadows = shadows(r.Endpoints, d.DenyEndpoints)
	if broker != nil {
		r.add(FromBroker, []Endpoint{*broker})
	}
	return r
}

func (r *Resolution) add(source Source, endpoints []Endpoint) {
	for _, e := range endpoints {
		if !slices.ContainsFunc(r.Endpoints, func(a Allowed) bool { return a.Endpoint == e }) {
			r.Endpoints = append(r.Endpoints, Allowed{e, source})
		}
	}
}

func (r *Resolution) addBinaries(source Source, paths []string) {
	for _, p := range paths {
		if !slices.ContainsFunc(r.Binaries, func(b Binary) bool { return b.Path == p }) {
			r.Binaries = append(r.Binaries, Binary{p, source})
		}
	}
}

// removes reports whether a denied endpoint takes an allowed one off the list,
// whatever the access. A literal host takes its sub-domains along, a wildcard
// the literal hosts that it stands for; neither can carve anything out of
// another wildcard.
func (e Endpoint) removes(allowed Endpoint) bool {
	switch {
	case e.Port != allowed.Port:
		return false
	case e.Host == allowed.Host:
		return true
	case e.Wildcard():
		return !allowed.Wildcard() && overlap(e.Host, allowed.Host)
	default:
		return strings.HasSuffix(allowed.Host, "."+e.Host)
	}
}

// denies reports whether a denied endpoint stands for a host that an endpoint on
// the list does. A literal one stands for its sub-domains too.
func (e Endpoint) denies(allowed Endpoint) bool {
	return e.Port == allowed.Port &&
		(overlap(e.Host, allowed.Host) || !e.Wildcard() && overlap("**."+e.Host, allowed.Host))
}

func shadows(allowed []Allowed, denied []Endpoint) []Shadow {
	var out []Shadow
	for _, d := range denied {
		for _, a := range allowed {
			if d.denies(a.Endpoint) {
				out = append(out, Shadow{d, a})
			}
		}
	}
	return out
}

// Permits reports whether a connection to a host, a literal one in any spelling,
// and a port may be made, and with which access: that of the first endpoint that
// stands for the host. A denied endpoint outranks all, but for the broker's.
func (r Resolution) Permits(host string, port uint16) (Access, bool) {
	host, ok := literal(host)
	if !ok {
		return Full, false
	}
	one := Endpoint{Host: host, Port: port}
	denied := slices.ContainsFunc(r.Deny, func(d Endpoint) bool { return d.denies(one) })
	for _, a := range r.Endpoints {
		if a.Port == port && overlap(a.Host, host) && (!denied || a.Source == FromBroker) {
			return a.Access, true
		}
	}
	return Full, false
}
