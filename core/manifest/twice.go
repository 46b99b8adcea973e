package manifest

import (
	"github.com/pelletier/go-toml/v2/unstable"
)

// origin is how a name came to stand in a document.
type origin int

const (
	implied origin = iota // as the front part of a table's name
	headed                // as the name of a table
	dotted                // as the front part of a key
	valued                // as a key
	arrayed               // as the name of an array of tables
)

// scope is a name of a document and the names below it.
type scope struct {
	origin origin
	at     int
	path   string
	below  map[string]*scope
}

// child finds or makes a name; made says which.
func (s *scope) child(part *unstable.Node, o origin) (child *scope, made bool) {
	name := string(part.Data)
	if c := s.below[name]; c != nil {
		return c, false
	}
	if s.below == nil {
		s.below = map[string]*scope{}
	}
	c := &scope{origin: o, at: int(part.Raw.Offset), path: join(s.path, name)}
	s.below[name] = c
	return c, true
}

// twice reports every name that is defined a second time. The decoder, which
// stops at the first, has the last word on whether there is any.
func (d *document) twice() {
	root := &scope{}
	current := root
	var p unstable.Parser
	p.Reset(d.text)
	for p.NextExpression() {
		switch e := p.Expression(); e.Kind {
		case unstable.Table:
			current = d.header(root, e.Key(), headed)
		case unstable.ArrayTable:
			current = d.header(root, e.Key(), arrayed)
		case unstable.KeyValue:
			d.assigned(current, e)
		}
	}
}

// header is the scope that the name of a table opens. When it may not be opened
// again the scope is one that nothing else sees, so that the keys in it, which
// have their place in one table, are not reported for the other.
func (d *document) header(s *scope, key unstable.Iterator, o origin) *scope {
	for key.Next() {
		part := key.Node()
		if !key.IsLast() {
			if s, _ = s.child(part, implied); s.origin == valued {
				d.again(part, s)
				return &scope{path: s.path}
			}
			continue
		}
		c, made := s.child(part, o)
		switch {
		case made:
		case o == headed && c.origin == implied:
			c.origin, c.at = headed, int(part.Raw.Offset)
		case o == arrayed && c.origin == arrayed:
			c.below = nil
		default:
			d.again(part, c)
			return &scope{path: c.path}
		}
		s = c
	}
	return s
}

// assigned enters a key and what its value holds.
func (d *document) assigned(s *scope, e *unstable.Node) {
	for key := e.Key(); key.Next(); {
		part, o := key.Node(), dotted
		if key.IsLast() {
			o = valued
		}
		c, made := s.child(part, o)
		if !made && (o == valued || c.origin != dotted) {
			d.again(part, c)
			return
		}
		s = c
	}
	d.inline(s, e.Value())
}

// inline enters the keys of inline tables.
func (d *document) inline(s *scope, v *unstable.Node) {
	switch v.Kind {
	case unstable.InlineTable:
		for it := v.Children(); it.Next(); {
			d.assigned(s, it.Node())
		}
	case unstable.Array:
		for it := v.Children(); it.Next(); {
			d.inline(&scope{path: s.path}, it.Node())
		}
	}
}

func (d *document) again(part *unstable.Node, first *scope) {
	line, _ := d.position(first.at)
	d.fault(int(part.Raw.Offset), first.path, "", "defined a second time, first on line %d", line)
}
