package identity_test

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crucible-engine/crucible/core/identity"
)

func TestH(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		parts []string
		want  string
	}{
		{nil, "cbf29ce484222325"},
		{[]string{""}, "af63bc4c8601b62c"},
		{[]string{"a"}, "089be307b544f397"},
		{[]string{"ab", "c"}, "b41fcf2f56ea7935"},
		{[]string{"a", "bc"}, "3ba8b70874c9fdbf"},
		{[]string{"[repo]\npath = \".\"\n"}, "8078e07c7b1b067a"},
	} {
		if got := identity.H(tc.parts...); got != tc.want {
			t.Errorf("H(%q) = %s, want %s", tc.parts, got, tc.want)
		}
	}
}

func TestFingerprint(t *testing.T) {
	t.Parallel()
	if got, want := identity.Fingerprint("g", "score", "default"), "f602d801aaca6eb0"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if identity.Fingerprint("g\n", "score", "default") == identity.Fingerprint("g", "score", "default") {
		t.Error("the goal is trimmed")
	}
}

func input() identity.Input {
	return identity.Input{
		Components: []identity.Component{{Repo: "https://example.com/r.git", BaseSHA: "0123456789abcdef0123456789abcdef01234567"}},
		Manifest:   []byte("[repo]\npath = \".\"\n"),
		Injects:    []identity.Inject{{Dst: "measure.sh", SHA256: sha256.Sum256([]byte("x"))}},
		MeasureCmd: "./measure.sh",
		Direction:  "lower",
	}
}

// TestCompute pins the digest: the same pack must have it in ten years.
func TestCompute(t *testing.T) {
	t.Parallel()
	got := identity.Compute(input())
	want := identity.RunIdentity{
		Components:   input().Components,
		ManifestHash: hexOf("[repo]\npath = \".\"\n"),
		InjectHash:   hexOf(part(hexOf("x")), part("measure.sh")),
		MeasureCmd:   "./measure.sh",
		Direction:    "lower",
	}
	want.Digest = "v3:" + hexOf(part(""), part("https://example.com/r.git"), part("0123456789abcdef0123456789abcdef01234567"),
		part(want.ManifestHash), part(want.InjectHash), part(""), part("./measure.sh"), part("lower"), part(""), part(""), part(""))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if want := "v3:9a6ad3e4c60415c4bda86ea9c255486f5640bb6923267727b2537da7b748873d"; got.Digest != want {
		t.Errorf("digest %s, want %s", got.Digest, want)
	}
}

func hexOf(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "")))
	return hex.EncodeToString(sum[:])
}

// part spells out the length of a part for parts of less than 256 bytes.
func part(s string) string { return "\x00\x00\x00\x00\x00\x00\x00" + string([]byte{byte(len(s))}) + s }

func TestSeed(t *testing.T) {
	t.Parallel()
	none, empty := input(), input()
	empty.Seed = []byte{}
	if got := identity.Compute(none).SeedHash; got != "" {
		t.Errorf("no seed hashes to %q", got)
	}
	if got := identity.Compute(empty).SeedHash; got != hexOf("") {
		t.Errorf("an empty seed hashes to %q", got)
	}
}

func TestDifferences(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		change func(*identity.Input)
		want   []string
	}{
		{"nothing", func(*identity.Input) {}, nil},
		{"manifest", func(in *identity.Input) { in.Manifest = nil }, []string{"manifest"}},
		{"inject content", func(in *identity.Input) { in.Injects[0].SHA256[3]++ }, []string{"injects"}},
		{"inject destination", func(in *identity.Input) { in.Injects[0].Dst = "m.sh" }, []string{"injects"}},
		{"base", func(in *identity.Input) { in.Components[0].BaseSHA = "" }, []string{"base commit"}},
		{"components", func(in *identity.Input) { in.Components = nil }, []string{"number of components"}},
		{"named component", func(in *identity.Input) { in.Components[0].Name = "web" }, []string{"component name of web"}},
		{"judge and rig", func(in *identity.Input) {
			in.MeasureCmd, in.Direction, in.Rig = "m", "higher", identity.Rig{DefRef: "a", BackendName: "b", BackendVersion: "c"}
		}, []string{"measure command", "direction", "rig definition", "rig backend", "rig backend version"}},
		{"seed", func(in *identity.Input) { in.Seed = []byte("d") }, []string{"seed diff"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			in := input()
			tc.change(&in)
			a, b := identity.Compute(in), identity.Compute(input())
			if diff := cmp.Diff(tc.want, identity.Differences(a, b)); diff != "" {
				t.Error(diff)
			}
			if identity.Equal(a, b) != (tc.want == nil) {
				t.Errorf("equal: %v", identity.Equal(a, b))
			}
		})
	}
	a, b := identity.Compute(input()), identity.Compute(input())
	b.Digest = "v2:7d931c3eee3aa30e"
	if diff := cmp.Diff([]string{"digest"}, identity.Differences(a, b)); diff != "" {
		t.Error(diff)
	}
}

func TestComputeKeepsNothingOfItsInput(t *testing.T) {
	t.Parallel()
	in := input()
	id := identity.Compute(in)
	in.Components[0].Repo = "changed"
	if id.Components[0].Repo == "changed" {
		t.Error("the identity shares its components with the input")
	}
}
