package manifest

import (
	"slices"
	"strings"
	"time"

	"github.com/crucible-engine/crucible/core/diag"
)

// field is one key that a table may hold. A section is a list of fields that
// point at where the values go, and checks between them: to support another
// table is to write one file like judge.go and to name it in root.go.
type field struct {
	name string
	read func(value)
	// refused: the key is known, but nothing here can act on it.
	refused bool
}

// read goes through the table's keys in the order of the file. A key that no
// field names is an error (C-MANIFEST).
func (v value) read(fields ...field) {
	names := make([]string, 0, len(fields))
	for _, f := range fields {
		if !f.refused {
			names = append(names, f.name)
		}
	}
	for _, e := range v.node.keys {
		at := value{v.doc, join(v.path, e.name), e.value, e.at}
		i := slices.IndexFunc(fields, func(f field) bool { return f.name == e.name })
		if i >= 0 {
			fields[i].read(at)
			continue
		}
		at.doc.fault(e.at, at.path, didYouMean(e.name, names), "unknown key")
	}
}

func didYouMean(word string, candidates []string) string {
	if best, ok := diag.Suggest(word, candidates); ok {
		return "did you mean " + best + "?"
	}
	return ""
}

// refused names keys that other engines know. Calling them unknown would send
// the author looking for a typing error.
func refused(names ...string) []field {
	var out []field
	for _, n := range names {
		out = append(out, field{n, func(v value) {
			v.doc.fault(v.key, v.path, "", "not supported by this engine")
		}, true})
	}
	return out
}

// table is a key that holds a table.
func table(name string, read func(value)) field {
	return field{name: name, read: func(v value) {
		if v.is(kindTable, "") {
			read(v)
		}
	}}
}

// text is a key that holds a string. Only white space counts as absent.
func text(name string, to *string) field { return textUpTo(name, to, maxString) }

func textUpTo(name string, to *string, limit int) field {
	return field{name: name, read: func(v value) {
		if s, ok := v.text(limit); ok && strings.TrimSpace(s) != "" {
			*to = s
		}
	}}
}

// word is a key that holds a short text of one line.
func word(name string, to *string) field {
	return field{name: name, read: func(v value) {
		s, ok := v.text(maxString)
		s = strings.TrimSpace(s)
		switch {
		case !ok || s == "":
		case len(s) > maxWord:
			v.fault("", "the string has %d bytes, more than the limit of %d", len(s), maxWord)
		case diag.Clean(s, maxString) != s:
			v.fault("", "the string holds a control character")
		default:
			*to = s
		}
	}}
}

// maxWord bounds the strings that name something, in bytes.
const maxWord = 1024

// choice is a key that holds one of a few words.
func choice(name string, to *string, words ...string) field {
	return field{name: name, read: func(v value) {
		s, ok := v.text(maxString)
		if !ok {
			return
		}
		if !slices.Contains(words, s) {
			v.fault(didYouMean(s, words), "%s is not one of %s", diag.Quote(s, shown), strings.Join(words, ", "))
			return
		}
		*to = s
	}}
}

// flag is a key that holds a boolean.
func flag(name string, to *bool) field {
	return field{name: name, read: func(v value) {
		hint := ""
		if v.node.kind == kindString && (v.node.text == "true" || v.node.text == "false") {
			hint = "write it without quotes"
		}
		if v.is(kindBool, hint) {
			*to = v.node.text == "true"
		}
	}}
}

// timeout is a key that holds a positive duration.
func timeout(name string, to *time.Duration) field {
	return limit(name, to, "leave it out for no limit")
}

// limit is a positive duration; otherwise says what its absence means.
func limit(name string, to *time.Duration, otherwise string) field {
	const hint = `write a number and a unit, such as "90s", "10m" or "1h30m"`
	return field{name: name, read: func(v value) {
		if v.node.kind == kindInteger {
			v.fault(hint, "want a string with a unit, have an integer")
			return
		}
		s, ok := v.text(maxString)
		if !ok {
			return
		}
		d, err := time.ParseDuration(s)
		switch {
		case err != nil:
			v.fault(hint, "%s is not a duration", diag.Quote(s, shown))
		case d <= 0:
			v.fault(otherwise, "%s is not a positive duration", diag.Quote(s, shown))
		default:
			*to = d
		}
	}}
}
