package identity_test

import (
	"crypto/sha256"
	"testing"

	"pgregory.net/rapid"

	"github.com/crucible-engine/crucible/core/identity"
)

func inputs() *rapid.Generator[identity.Input] {
	text := rapid.StringMatching(`[ab/]{0,3}`)
	component := rapid.Custom(func(t *rapid.T) identity.Component {
		return identity.Component{Name: text.Draw(t, "name"), Repo: text.Draw(t, "repo"), BaseSHA: text.Draw(t, "base")}
	})
	inject := rapid.Custom(func(t *rapid.T) identity.Inject {
		return identity.Inject{Dst: text.Draw(t, "dst"), SHA256: sha256.Sum256([]byte(text.Draw(t, "content")))}
	})
	return rapid.Custom(func(t *rapid.T) identity.Input {
		in := identity.Input{
			Components: rapid.SliceOfN(component, 0, 3).Draw(t, "components"),
			Manifest:   []byte(text.Draw(t, "manifest")),
			Injects:    rapid.SliceOfN(inject, 0, 3).Draw(t, "injects"),
			MeasureCmd: text.Draw(t, "measure"),
			Direction:  text.Draw(t, "direction"),
			Rig:        identity.Rig{DefRef: text.Draw(t, "def"), BackendName: text.Draw(t, "rig"), BackendVersion: text.Draw(t, "version")},
		}
		if rapid.Bool().Draw(t, "seeded") {
			in.Seed = []byte(text.Draw(t, "seed"))
		}
		return in
	})
}

// same compares inputs part by part, without a hash.
func same(a, b identity.Input) bool {
	if len(a.Components) != len(b.Components) || len(a.Injects) != len(b.Injects) {
		return false
	}
	for i := range a.Components {
		if a.Components[i] != b.Components[i] {
			return false
		}
	}
	for i := range a.Injects {
		if a.Injects[i] != b.Injects[i] {
			return false
		}
	}
	return string(a.Manifest) == string(b.Manifest) && (a.Seed == nil) == (b.Seed == nil) && string(a.Seed) == string(b.Seed) &&
		a.MeasureCmd == b.MeasureCmd && a.Direction == b.Direction && a.Rig == b.Rig
}

// TestEqualExactlyWhenSame draws from few short texts, so that parts that could
// be mistaken for one another ("ab", "c" and "a", "bc") come up often.
func TestEqualExactlyWhenSame(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := inputs().Draw(t, "a"), inputs().Draw(t, "b")
		if rapid.Bool().Draw(t, "copy") {
			b = a
		}
		x, y := identity.Compute(a), identity.Compute(b)
		if identity.Equal(x, y) != same(a, b) {
			t.Fatalf("equal %v, same %v: %v", identity.Equal(x, y), same(a, b), identity.Differences(x, y))
		}
		if (len(identity.Differences(x, y)) == 0) != same(a, b) {
			t.Fatalf("differences %v", identity.Differences(x, y))
		}
	})
}
