package exposure

import "slices"

// Change is one entry that only one of two documents has.
type Change struct {
	Added bool
	// List is "outputs" or "capabilities".
	List string
	// Entry is its canonical JSON.
	Entry string
}

// Diff lists what changed from one document to another: what went, then what
// came, in canonical order. Documents with the same digest have none.
func Diff(before, after Document) ([]Change, error) {
	var out []Change
	for _, list := range []struct {
		name          string
		before, after any
	}{{"outputs", before.Outputs, after.Outputs}, {"capabilities", before.Capabilities, after.Capabilities}} {
		old, err := entries(list.before)
		if err != nil {
			return nil, err
		}
		now, err := entries(list.after)
		if err != nil {
			return nil, err
		}
		for _, e := range minus(old, now) {
			out = append(out, Change{List: list.name, Entry: e})
		}
		for _, e := range minus(now, old) {
			out = append(out, Change{Added: true, List: list.name, Entry: e})
		}
	}
	return out, nil
}

func entries(list any) ([]string, error) {
	var texts []string
	add := func(v any) error {
		text, err := canonicalValue(v)
		texts = append(texts, string(text))
		return err
	}
	switch list := list.(type) {
	case []Output:
		for _, e := range list {
			if err := add(e); err != nil {
				return nil, err
			}
		}
	case []Capability:
		for _, e := range list {
			if err := add(e); err != nil {
				return nil, err
			}
		}
	}
	slices.Sort(texts)
	return texts, nil
}

// minus is what a sorted list has more of than another.
func minus(a, b []string) []string {
	left := map[string]int{}
	for _, s := range b {
		left[s]++
	}
	var out []string
	for _, s := range a {
		if left[s]--; left[s] < 0 {
			out = append(out, s)
		}
	}
	return out
}
