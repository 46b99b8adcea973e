package manifest

import (
	"strconv"
	"strings"

	"github.com/crucible-engine/crucible/core/diag"
)

// maxString bounds a string of the manifest other than an inline goal, in
// bytes: the kernel takes no longer argument of a command.
const maxString = 120 << 10

// shown bounds the names and values that messages quote.
const shown = 80

// value is a value of the manifest with its key path.
type value struct {
	doc  *document
	path string
	node *node
	// key is the offset of the key.
	key int
}

// fault records an error at the value.
func (v value) fault(hint, format string, args ...any) {
	v.doc.fault(v.node.at, v.path, hint, format, args...)
}

func (v value) warn(hint, format string, args ...any) {
	v.doc.report(diag.Warning, v.node.at, v.path, hint, format, args...)
}

// is reports whether the value has the wanted kind, and records an error when not.
func (v value) is(want kind, hint string) bool {
	if v.node.kind != want {
		v.fault(hint, "want %s, have %s", want, v.node.kind)
		return false
	}
	return true
}

// text is a string without NUL, of at most limit bytes. What it says about a
// wrong one never shows the value, which may be a secret.
func (v value) text(limit int) (string, bool) {
	hint := ""
	if v.node.kind == kindBool || v.node.kind == kindInteger {
		hint = "put it in quotes"
	}
	if !v.is(kindString, hint) {
		return "", false
	}
	switch s := v.node.text; {
	case strings.ContainsRune(s, 0):
		v.fault("", "the string holds a NUL character")
	case len(s) > limit:
		v.fault("", "the string has %d bytes, more than the limit of %d", len(s), limit)
	default:
		return s, true
	}
	return "", false
}

// has reports whether a table holds the key, whatever its value.
func (v value) has(name string) bool { return v.node.get(name) != nil }

// at is the value of a key, or the table itself under the key's path when the
// key is not there: the place to report a fault about the key.
func (v value) at(name string) value {
	path := join(v.path, name)
	for _, e := range v.node.keys {
		if e.name == name {
			return value{v.doc, path, e.value, e.at}
		}
	}
	return value{v.doc, path, v.node, v.key}
}

// missing records that a required key is not there, or holds only white space.
func (v value) missing(name, hint string) {
	if v.has(name) {
		v.at(name).fault(hint, "the string is empty")
		return
	}
	v.doc.fault(v.key, join(v.path, name), hint, "missing")
}

// item is one element of an array.
func (v value) item(i int) value {
	n := v.node.items[i]
	return value{v.doc, v.path + "[" + strconv.Itoa(i) + "]", n, n.at}
}

// join appends a key to a path as TOML would spell it.
func join(path, key string) string {
	if path == "" {
		return keyPath(key)
	}
	return path + "." + keyPath(key)
}

// keyPath spells a dotted key, with quotes where TOML needs them.
func keyPath(parts ...string) string {
	out := make([]string, len(parts))
	for i, p := range parts {
		if out[i] = p; !bare(p) {
			out[i] = diag.Quote(p, shown)
		}
	}
	return strings.Join(out, ".")
}

func bare(key string) bool {
	return key != "" && strings.Trim(key, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") == ""
}
