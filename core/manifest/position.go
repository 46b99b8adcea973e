package manifest

// At is where a key stands in the manifest's text, from 1; zeros when it is not
// there. It is for findings about a manifest that was loaded.
func (m *Manifest) At(keys ...string) (line, col int) {
	if m.doc == nil || m.doc.root == nil {
		return 0, 0
	}
	n, at := m.doc.root, -1
	for _, key := range keys {
		found := false
		for _, e := range n.keys {
			if e.name == key {
				n, at, found = e.value, e.at, true
				break
			}
		}
		if !found {
			return 0, 0
		}
	}
	if at < 0 {
		return 0, 0
	}
	return m.doc.position(at)
}
