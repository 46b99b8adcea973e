package manifest

// Search is the wide round before the loop ([search], C-SEARCH). The zero value
// has none.
type Search struct {
	// Wide is the number of candidates, 0 for no wide round.
	Wide uint32
	// Approaches are what each candidate has to try.
	Approaches []string
	// Policy picks the candidates that seed the loop, PolicyK is how many.
	Policy  string
	PolicyK uint32
}

// PolicyTopK keeps the best candidates.
const PolicyTopK = "top-k"

const maxWide = 1000

// search reads [search].
func (p *pack) search(t value) {
	s := &p.m.Search
	t.read(
		number("wide", &s.Wide, 0, maxWide), number("policy_k", &s.PolicyK, 0, maxWide), word("policy", &s.Policy),
		texts("approaches", &s.Approaches),
	)
	if s.Wide == 0 {
		return
	}
	if v := t.at("approaches"); len(v.node.items) < int(s.Wide) && (v.node.kind == kindArray || !t.has("approaches")) {
		v.fault("give one to each candidate", "the list has %d of the %d that a round of this width needs", len(v.node.items), s.Wide)
	}
	if s.Policy != PolicyTopK {
		t.at("policy").fault(`write policy = "top-k"`, "%q is not a policy", s.Policy)
	}
	if s.PolicyK == 0 || s.PolicyK > s.Wide {
		t.at("policy_k").fault("", "want a number from 1 to wide, which is %d", s.Wide)
	}
}
