package exposure

import "encoding/json"

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
	outputs, err := changes("outputs", before.Outputs, after.Outputs)
	if err != nil {
		return nil, err
	}
	capabilities, err := changes("capabilities", before.Capabilities, after.Capabilities)
	return append(outputs, capabilities...), err
}

// changes compares one list of two documents.
func changes[T any](list string, before, after []T) ([]Change, error) {
	old, err := sorted(before)
	if err != nil {
		return nil, err
	}
	now, err := sorted(after)
	if err != nil {
		return nil, err
	}
	var out []Change
	for _, e := range minus(old, now) {
		out = append(out, Change{List: list, Entry: e})
	}
	for _, e := range minus(now, old) {
		out = append(out, Change{Added: true, List: list, Entry: e})
	}
	return out, nil
}

// minus is what a sorted list has more of than another.
func minus(a, b []json.RawMessage) []string {
	left := map[string]int{}
	for _, s := range b {
		left[string(s)]++
	}
	var out []string
	for _, s := range a {
		if left[string(s)]--; left[string(s)] < 0 {
			out = append(out, string(s))
		}
	}
	return out
}
