package identity

import (
	"slices"
)

// version is the prefix of a digest. It changes whenever the preimage does.
const version = "v3:"

// Component is one repository that the run works on.
type Component struct {
	// Name is empty for the only component of a run.
	Name string
	// Repo is the source as the manifest spells it, empty when there is none.
	Repo string
	// BaseSHA is the pristine base commit, empty when it is not known.
	BaseSHA string
}

// Inject is one file that the engine places in the workspace.
type Inject struct {
	// Dst is relative to the workspace, with forward slashes, so that the same
	// pack has the same identity wherever it lies.
	Dst string
	// SHA256 is the digest of the source's content.
	SHA256 [32]byte
}

// Rig names what a run was measured on. All empty in a run without one.
type Rig struct {
	DefRef, BackendName, BackendVersion string
}

// Input is what an identity is computed from.
type Input struct {
	Components []Component
	// Manifest is the frozen text that the run was loaded from.
	Manifest []byte
	// Injects are in the order in which the manifest declares them.
	Injects []Inject
	// Seed is the content of the seed diff, nil when none is declared.
	Seed []byte
	// MeasureCmd and Direction are those of the judge, empty without one.
	MeasureCmd, Direction string
	Rig                   Rig
}

// RunIdentity is the hash of hashes that two comparable runs share. The fields
// are in the order in which they are written to the session log.
type RunIdentity struct {
	Components []Component
	// ManifestHash is SHA-256 of the manifest's text, in hex.
	ManifestHash string
	// InjectHash is SHA-256 over the injects, in hex: see Compute.
	InjectHash string
	// SeedHash is SHA-256 of the seed diff, in hex, empty when none is declared.
	SeedHash   string
	MeasureCmd string
	Direction  string
	Rig        Rig
	// Digest is opaque to everything but equality.
	Digest string
}

// Compute derives the identity of a run.
//
// Every hash is SHA-256 in lower-case hex. A list of parts is hashed as, for
// each part, its length in bytes as an unsigned 64-bit big-endian number and
// then its bytes.
//
//	ManifestHash = SHA-256 of the manifest's bytes
//	SeedHash     = SHA-256 of the seed diff's bytes, or ""
//	InjectHash   = parts: for each inject the hex digest of its content, then its destination
//	Digest       = "v3:" + parts: for each component name, repo and base sha; then manifest hash,
//	               inject hash, seed hash, measure command, direction, rig definition,
//	               rig backend, rig backend version
//
// The digest has three parts for each component and eight others, so the
// number of components needs no part of its own.
func Compute(in Input) RunIdentity {
	id := RunIdentity{
		Components:   slices.Clone(in.Components),
		ManifestHash: sha256Hex(in.Manifest),
		InjectHash:   injectHash(in.Injects),
		MeasureCmd:   in.MeasureCmd,
		Direction:    in.Direction,
		Rig:          in.Rig,
	}
	if in.Seed != nil {
		id.SeedHash = sha256Hex(in.Seed)
	}
	id.Digest = id.digest()
	return id
}

func (id RunIdentity) digest() string {
	parts := make([]string, 0, 3*len(id.Components)+8)
	for _, c := range id.Components {
		parts = append(parts, c.Name, c.Repo, c.BaseSHA)
	}
	parts = append(parts, id.ManifestHash, id.InjectHash, id.SeedHash, id.MeasureCmd, id.Direction,
		id.Rig.DefRef, id.Rig.BackendName, id.Rig.BackendVersion)
	return version + sum(parts)
}
