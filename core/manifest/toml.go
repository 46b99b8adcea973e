package manifest

import (
	"bytes"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// Bounds that are checked before the text is decoded. Decoding takes time in
// the square of the number of keys.
const (
	// MaxText is the most bytes that a manifest may have.
	MaxText = 1 << 20
	// maxDepth bounds nested arrays and inline tables, and the parts of a dotted key.
	maxDepth = 32
	// maxKeys bounds the parts of all keys, those of table headers included, and
	// the elements of all arrays together.
	maxKeys = 10_000
)

// decode checks the bounds and the syntax, and builds the tree. It reports
// whether there is a tree; when not, faults say why.
func (d *document) decode() bool {
	if !d.checkBytes() || !d.checkBounds() {
		return false
	}
	var scratch map[string]any
	err := toml.Unmarshal(d.text, &scratch)
	if err == nil {
		d.root = d.build()
		return true
	}
	// The decoder stops at the first fault of any kind; an author wants them all.
	if d.syntax(); len(d.list) == 0 {
		d.twice()
	}
	if len(d.list) > 0 {
		return false
	}
	offset, message := 0, strings.TrimPrefix(err.Error(), "toml: ")
	var at *toml.DecodeError
	if errors.As(err, &at) {
		offset = d.offset(at.Position())
	}
	if strings.Contains(message, "strconv.") { // Go's words
		message = "the number is out of range"
	}
	d.fault(offset, "", "", "%s", message)
	return false
}

func (d *document) checkBytes() bool {
	switch {
	case len(d.text) > MaxText:
		d.list = append(d.list, tooLarge(d.file))
	case bytes.HasPrefix(d.text, []byte("\xef\xbb\xbf")):
		d.fault(0, "", "save it as UTF-8 without one", "the file starts with a byte order mark")
	case bytes.IndexByte(d.text, 0) >= 0:
		d.fault(bytes.IndexByte(d.text, 0), "", "", "the file holds a NUL byte, so it is not a text file")
	case !utf8.Valid(d.text):
		d.fault(firstInvalid(d.text), "", "", "the file is not valid UTF-8")
	default:
		return true
	}
	return false
}

func firstInvalid(text []byte) int {
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return len(text)
}

// checkBounds walks the expressions without building anything. It stops at the
// first syntax error, which syntax then reports.
func (d *document) checkBounds() bool {
	var p unstable.Parser
	p.Reset(d.text)
	b := bounds{}
	for p.NextExpression() {
		e := p.Expression()
		b.visit(e, 0)
		switch {
		case b.keys > maxKeys:
			d.fault(b.at, "", "", "the manifest has more than %d keys and elements of arrays", maxKeys)
			return false
		case b.deep:
			d.fault(b.at, "", "", "values or keys are nested more than %d levels deep", maxDepth)
			return false
		}
	}
	return true
}

// bounds counts what a document asks of the decoder.
type bounds struct {
	keys int
	deep bool
	// at is the offset of the last key seen.
	at int
}

func (b *bounds) visit(n *unstable.Node, depth int) {
	if depth > maxDepth {
		b.deep = true
		return
	}
	if n.Kind == unstable.Table || n.Kind == unstable.ArrayTable || n.Kind == unstable.KeyValue {
		b.countKey(n)
	}
	if n.Kind == unstable.KeyValue {
		b.visit(n.Value(), depth+1)
		return
	}
	if n.Kind != unstable.Array && n.Kind != unstable.InlineTable {
		return
	}
	for it := n.Children(); it.Next() && !b.deep && b.keys <= maxKeys; {
		if n.Kind == unstable.Array {
			b.keys++
		}
		b.visit(it.Node(), depth+1)
	}
}

func (b *bounds) countKey(n *unstable.Node) {
	parts := 0
	for it := n.Key(); it.Next(); parts++ {
		b.at = int(it.Node().Raw.Offset)
	}
	b.keys += parts
	b.deep = b.deep || parts > maxDepth
}
