package mask

// machine finds many patterns in one pass (Aho and Corasick). The patterns are a
// tree of states; where a text leaves the tree, the fail link leads to the state
// of the longest end of the text that is in the tree.
type machine struct {
	// root is the first step of every pattern: the state after byte b, 0 for none.
	root   [256]int32
	states []state
}

type state struct {
	child, sibling int32 // 0 for none
	fail           int32
	depth          int32 // the bytes that led here
	match          int32 // the length of the longest pattern that ends here, 0 for none
	b              byte  // the byte that leads here from the parent
}

// span is a part of a text.
type span struct{ start, end int }

func newMachine(patterns []string) *machine {
	m := &machine{states: make([]state, 1, 1024)}
	for _, p := range patterns {
		m.add(p)
	}
	m.link()
	return m
}

func (m *machine) add(pattern string) {
	at := int32(0)
	for i := range len(pattern) {
		next := m.step(at, pattern[i])
		if next == 0 {
			next = m.grow(at, pattern[i])
		}
		at = next
	}
	m.states[at].match = int32(len(pattern))
}

func (m *machine) grow(parent int32, b byte) int32 {
	n := int32(len(m.states))
	s := state{b: b, depth: m.states[parent].depth + 1}
	if parent == 0 {
		m.root[b] = n
	}
	s.sibling = m.states[parent].child
	m.states[parent].child = n
	m.states = append(m.states, s)
	return n
}

// step is the state after b in the tree, 0 when the tree has none.
func (m *machine) step(at int32, b byte) int32 {
	if at == 0 {
		return m.root[b]
	}
	c := m.states[at].child
	for c != 0 && m.states[c].b != b {
		c = m.states[c].sibling
	}
	return c
}

// link sets the fail links, level by level.
func (m *machine) link() {
	queue := make([]int32, 0, len(m.states))
	for c := m.states[0].child; c != 0; c = m.states[c].sibling {
		queue = append(queue, c)
	}
	for head := 0; head < len(queue); head++ {
		at := queue[head]
		for c := m.states[at].child; c != 0; c = m.states[c].sibling {
			s := &m.states[c]
			s.fail = m.next(m.states[at].fail, s.b)
			// A pattern that ends here by way of the fail link is shorter.
			if s.match == 0 {
				s.match = m.states[s.fail].match
			}
			queue = append(queue, c)
		}
	}
}

// next is the state after b, over fail links where the tree ends.
func (m *machine) next(at int32, b byte) int32 {
	for {
		if n := m.step(at, b); n != 0 || at == 0 {
			return n
		}
		at = m.states[at].fail
	}
}

// find returns the parts of text that patterns cover, in order, without overlap.
// With cut, the beginning of a pattern at the end of text counts as well.
func (m *machine) find(text string, cut bool) []span {
	var found []span
	at := int32(0)
	for i := range len(text) {
		at = m.next(at, text[i])
		if at == 0 {
			continue
		}
		if n := int(m.states[at].match); n > 0 {
			found = join(found, span{i + 1 - n, i + 1})
		}
	}
	if n := int(m.states[at].depth); cut && n >= MinLength {
		found = join(found, span{len(text) - n, len(text)})
	}
	return found
}

// join adds a span that ends last and merges what it overlaps.
func join(found []span, s span) []span {
	for len(found) > 0 && found[len(found)-1].end > s.start {
		s.start = min(s.start, found[len(found)-1].start)
		found = found[:len(found)-1]
	}
	return append(found, s)
}
