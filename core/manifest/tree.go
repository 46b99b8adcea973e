package manifest

import (
	"bytes"

	"github.com/pelletier/go-toml/v2/unstable"
)

// kind is the type of a value.
type kind int

const (
	kindTable kind = iota
	kindArray
	kindString
	kindBool
	kindInteger
	kindFloat
	kindOther // a date or a time
)

// String is what diagnostics call a value of the kind.
func (k kind) String() string {
	switch k {
	case kindTable:
		return "a table"
	case kindArray:
		return "an array"
	case kindString:
		return "a string"
	case kindBool:
		return "a boolean"
	case kindInteger:
		return "an integer"
	case kindFloat:
		return "a float"
	default:
		return "a date or a time"
	}
}

// node is a value with its position.
type node struct {
	kind kind
	// at is the offset of the value, or of its key where the value has none.
	at int
	// text is a string's content, or a scalar as it stands in the file.
	text  string
	items []*node
	keys  []entry
}

// entry is a key of a table, in the order of the file.
type entry struct {
	name  string
	at    int
	value *node
}

func (n *node) get(name string) *node {
	for _, e := range n.keys {
		if e.name == name {
			return e.value
		}
	}
	return nil
}

// build makes the tree of a text that the decoder has accepted, so that no key
// stands twice and no value is both a table and something else.
func (d *document) build() *node {
	root := &node{kind: kindTable}
	current := root
	var p unstable.Parser
	p.Reset(d.text)
	for p.NextExpression() {
		switch e := p.Expression(); e.Kind {
		case unstable.Table:
			current = root.table(e.Key())
		case unstable.ArrayTable:
			current = root.element(e.Key())
		case unstable.KeyValue:
			current.assign(d.text, e)
		}
	}
	return root
}

// table walks a dotted key from n, making tables where there are none, and
// returns the last. A key that names an array of tables means its last element.
func (n *node) table(key unstable.Iterator) *node {
	for key.Next() {
		n = n.child(key.Node(), kindTable)
	}
	return n
}

// element appends an element to the array of tables that the key names.
func (n *node) element(key unstable.Iterator) *node {
	for key.Next() {
		part := key.Node()
		if !key.IsLast() {
			n = n.child(part, kindTable)
			continue
		}
		array := n.get(string(part.Data))
		if array == nil {
			array = n.add(part, &node{kind: kindArray, at: int(part.Raw.Offset)})
		}
		n = &node{kind: kindTable, at: int(part.Raw.Offset)}
		array.items = append(array.items, n)
	}
	return n
}

func (n *node) child(part *unstable.Node, k kind) *node {
	c := n.get(string(part.Data))
	switch {
	case c == nil:
		return n.add(part, &node{kind: k, at: int(part.Raw.Offset)})
	case c.kind == kindArray && len(c.items) > 0:
		return c.items[len(c.items)-1]
	default:
		return c
	}
}

func (n *node) add(part *unstable.Node, value *node) *node {
	n.keys = append(n.keys, entry{string(part.Data), int(part.Raw.Offset), value})
	return value
}

func (n *node) assign(text []byte, e *unstable.Node) {
	for key := e.Key(); key.Next(); {
		part := key.Node()
		if !key.IsLast() {
			n = n.child(part, kindTable)
			continue
		}
		n.add(part, convert(text, e.Value(), afterKey(text, part)))
	}
}

// afterKey is the offset of the value behind a key. The parser keeps no
// position of arrays and inline tables.
func afterKey(text []byte, key *unstable.Node) int {
	at := int(key.Raw.Offset + key.Raw.Length)
	return at + len(text[at:]) - len(bytes.TrimLeft(text[at:], " \t="))
}

// convert copies a value out of the parser, whose memory is used again. An
// array in an array gets the position of the outer one.
func convert(text []byte, v *unstable.Node, at int) *node {
	n := &node{at: at, text: string(v.Data)}
	if v.Raw.Length > 0 {
		n.at = int(v.Raw.Offset)
	}
	switch v.Kind {
	case unstable.String:
		n.kind = kindString
	case unstable.Bool:
		n.kind = kindBool
	case unstable.Integer:
		n.kind = kindInteger
	case unstable.Float:
		n.kind = kindFloat
	case unstable.Array:
		n.kind = kindArray
		for it := v.Children(); it.Next(); {
			n.items = append(n.items, convert(text, it.Node(), at))
		}
	case unstable.InlineTable:
		n.kind = kindTable
		for it := v.Children(); it.Next(); {
			n.assign(text, it.Node())
		}
		if len(n.keys) > 0 {
			n.at = n.keys[0].at
		}
	default:
		n.kind = kindOther
	}
	return n
}
