package identity

import (
	"fmt"
	"slices"
)

// Equal reports whether two runs are comparable. Only the digests count, as
// they do for every other reader of the session log.
func Equal(a, b RunIdentity) bool { return a.Digest == b.Digest }

// Differences names what keeps two runs from being comparable, in the order of
// the fields: "manifest", "injects", "base commit" and so on. It is empty when
// they are equal, and says "digest" when only the digests differ, which means
// that an engine of another version wrote one of them.
func Differences(a, b RunIdentity) []string {
	if Equal(a, b) {
		return nil
	}
	out := componentDifferences(a.Components, b.Components)
	for _, f := range []struct{ name, a, b string }{
		{"manifest", a.ManifestHash, b.ManifestHash},
		{"injects", a.InjectHash, b.InjectHash},
		{"seed diff", a.SeedHash, b.SeedHash},
		{"measure command", a.MeasureCmd, b.MeasureCmd},
		{"direction", a.Direction, b.Direction},
		{"rig definition", a.Rig.DefRef, b.Rig.DefRef},
		{"rig backend", a.Rig.BackendName, b.Rig.BackendName},
		{"rig backend version", a.Rig.BackendVersion, b.Rig.BackendVersion},
	} {
		if f.a != f.b {
			out = append(out, f.name)
		}
	}
	if len(out) == 0 {
		return []string{"digest"}
	}
	return out
}

func componentDifferences(a, b []Component) []string {
	if len(a) != len(b) {
		return []string{"number of components"}
	}
	var out []string
	for i := range a {
		of := ""
		if a[i].Name != "" {
			of = fmt.Sprintf(" of %s", a[i].Name)
		}
		for _, f := range []struct{ name, a, b string }{
			{"component name", a[i].Name, b[i].Name},
			{"repository", a[i].Repo, b[i].Repo},
			{"base commit", a[i].BaseSHA, b[i].BaseSHA},
		} {
			if f.a != f.b {
				out = append(out, f.name+of)
			}
		}
	}
	return slices.Compact(out)
}
