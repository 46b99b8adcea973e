package egress_test

import (
	"testing"

	"github.com/crucible-engine/crucible/core/egress"
)

// Whatever is accepted has one form, which reads as the same endpoint.
func FuzzEndpoint(f *testing.F) {
	for _, s := range []string{"github.com:443", "[2001:db8::1]:443:full", "*.a-b.c:1:read-only:rest:audit", "**.x:65535", "10.0.0.1:22"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		e, err := egress.ParseEndpoint(s)
		if err != nil {
			return
		}
		again, err := egress.ParseEndpoint(e.String())
		if err != nil || again != e {
			t.Errorf("%q reads as %+v, its form %q as %+v, %v", s, e, e.String(), again, err)
		}
		if !e.Wildcard() && !e.Covers(e.Host) {
			t.Errorf("%q does not cover its own host", s)
		}
	})
}
