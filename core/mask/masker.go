package mask

import "strings"

const (
	// Placeholder stands where a secret was.
	Placeholder = "[masked]"
	// MinLength is the shortest value that is masked, in bytes. Shorter ones are
	// settings more often than secrets ("1", "true", "debug"), and masking them
	// would make ordinary output unreadable without protecting anything: who
	// knows that a secret has five characters can try them all.
	MinLength = 6
	// MinLineLength is the shortest line of a value with several lines that is
	// masked by itself; shorter ones are mostly brackets and common words.
	MinLineLength = 8
)

// Masker replaces the values it was made of. The zero Masker and a nil one
// replace nothing. It never changes and is safe for concurrent use.
type Masker struct {
	m *machine // nil without values
}

// New makes a Masker of the values of secrets. Values that are shorter than
// MinLength after surrounding white space is taken off are left out; so are
// repeated ones.
func New(values []string) *Masker {
	seen := map[string]bool{}
	var patterns []string
	for _, v := range values {
		for _, p := range forms(v) {
			if !seen[p] {
				seen[p] = true
				patterns = append(patterns, p)
			}
		}
	}
	if len(patterns) == 0 {
		return &Masker{}
	}
	return &Masker{newMachine(patterns)}
}

// Mask returns text with every value in it replaced by Placeholder. Values that
// overlap become one. The time it takes grows with the length of text, not with
// the number of values.
func (m *Masker) Mask(text string) string {
	return m.replace(text, false)
}

// MaskCut is Mask for a text whose end was cut off: an end that is the first
// MinLength bytes or more of a value is replaced too.
func (m *Masker) MaskCut(text string) string {
	return m.replace(text, true)
}

func (m *Masker) replace(text string, cut bool) string {
	if m == nil || m.m == nil {
		return text
	}
	found := m.m.find(text, cut)
	if len(found) == 0 {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
	at := 0
	for _, s := range found {
		b.WriteString(text[at:s.start])
		b.WriteString(Placeholder)
		at = s.end
	}
	b.WriteString(text[at:])
	return b.String()
}
