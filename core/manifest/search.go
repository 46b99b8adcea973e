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
		field{name: "approaches", read: func(v value) {
			if !v.is(kindArray, "") {
				return
			}
			for i := range v.node.items {
				if text, ok := v.item(i).text(maxString); ok {
					s.Approaches = append(s.Approaches, text)
				}
			}
		}},
	)
	if s.Wide == 0 {
		return
	}
	if n := len(s.Approaches); n < int(s.Wide) {
		t.at("approaches").fault("", "%d approaches are given for a wide round of %d", n, s.Wide)
	}
	if s.Policy != PolicyTopK {
		t.at("policy").fault(`write policy = "top-k"`, "%q is not a policy", s.Policy)
	}
	if s.PolicyK == 0 || s.PolicyK > s.Wide {
		t.at("policy_k").fault("", "want a number from 1 to wide, which is %d", s.Wide)
	}
}
