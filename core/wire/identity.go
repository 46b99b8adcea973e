package wire

const kindIdentity = "identity"

// Identity tells which runs are comparable with this one: those with an equal
// digest. It is written at setup and again by every resume.
type Identity struct {
	Identity IdentityData
}

// IdentityData is a run's identity (C-WIRE, RunIdentity).
type IdentityData struct {
	Components   []Component
	ManifestHash string
	InjectHash   string
	// SeedHash is empty when no seed is declared.
	SeedHash   string
	MeasureCmd string
	// Direction is "lower", "higher", or empty without a judge.
	Direction string
	Rig       Rig
	// Digest stands for all the others; it is compared, never taken apart.
	Digest string
}

// Component is one repository of a run.
type Component struct {
	// Name is empty when there is only one.
	Name string
	// Repo is the repository as the manifest names it, empty without [repo].
	Repo string
	// BaseSHA is the pristine base commit.
	BaseSHA string
}

// Rig is what the run was measured on; all empty when nothing is declared.
type Rig struct {
	DefRef, BackendName, BackendVersion string
}

// Kind is "identity".
func (Identity) Kind() string { return kindIdentity }

func (e Identity) visit(f *fields) Event {
	f.object("identity", required, e.Identity.visit)
	return e
}

func (d *IdentityData) visit(f *fields) {
	list(f, "components", &d.Components, required, (*Component).visit)
	f.token("manifest_hash", &d.ManifestHash, required)
	f.token("inject_hash", &d.InjectHash, required)
	f.token("seed_hash", &d.SeedHash, defaulted)
	f.text("measure_cmd", &d.MeasureCmd, required)
	f.token("direction", &d.Direction, required)
	f.object("rig", defaulted, d.Rig.visit)
	f.token("digest", &d.Digest, required)
}

func (c *Component) visit(f *fields) {
	f.text("name", &c.Name, required)
	f.text("repo", &c.Repo, required)
	f.token("base_sha", &c.BaseSHA, required)
}

func (r *Rig) visit(f *fields) {
	f.text("def_ref", &r.DefRef, defaulted)
	f.text("backend_name", &r.BackendName, defaulted)
	f.text("backend_version", &r.BackendVersion, defaulted)
}
