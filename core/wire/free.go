package wire

import (
	"bytes"
	"slices"
	"strconv"
)

// appendFree writes JSON of any form with its keys sorted, its numbers and
// strings in this package's form, and no white space. Strings that are values go
// through change when it is not nil.
func appendFree(dst, raw []byte, change func(string) string) ([]byte, error) {
	if err := check(raw); err != nil {
		return dst, err
	}
	return appendChecked(dst, bytes.TrimSpace(raw), change)
}

func appendChecked(dst, raw []byte, change func(string) string) ([]byte, error) {
	switch raw[0] {
	case '{':
		return appendSorted(dst, raw, change)
	case '[':
		spans, err := splitArray(raw)
		if err != nil {
			return dst, err
		}
		dst = append(dst, '[')
		for i, span := range spans {
			if i > 0 {
				dst = append(dst, ',')
			}
			if dst, err = appendChecked(dst, span, change); err != nil {
				return dst, err
			}
		}
		return append(dst, ']'), nil
	case '"':
		s, _ := unquote(raw)
		if change != nil {
			s = change(s)
		}
		return appendString(dst, s), nil
	case 't', 'f', 'n':
		return append(dst, raw...), nil
	default:
		return appendNumber(dst, raw), nil
	}
}

func appendSorted(dst, raw []byte, change func(string) string) ([]byte, error) {
	members, err := splitMembers(raw, maxItems)
	if err != nil {
		return dst, err
	}
	// Stable, so that the last of several of one name stays the last.
	slices.SortStableFunc(members, func(a, b member) int { return bytes.Compare(a.name, b.name) })
	dst = append(dst, '{')
	first := true
	for i, m := range members {
		if i+1 < len(members) && bytes.Equal(m.name, members[i+1].name) {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		name := string(m.name)
		if change != nil {
			name = change(name)
		}
		dst = append(appendString(dst, name), ':')
		if dst, err = appendChecked(dst, m.value, change); err != nil {
			return dst, err
		}
	}
	return append(dst, '}'), nil
}

// appendNumber keeps an integer of 64 bits as it is and writes any other number
// as a floating point number; one that does not fit is null.
func appendNumber(dst, raw []byte) []byte {
	if _, err := strconv.ParseUint(string(raw), 10, 64); err == nil {
		return append(dst, raw...)
	}
	if n, err := strconv.ParseInt(string(raw), 10, 64); err == nil && n != 0 {
		return append(dst, raw...)
	}
	x, _ := strconv.ParseFloat(string(raw), 64)
	return appendFloat(dst, x)
}
