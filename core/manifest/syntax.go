package manifest

import (
	"bytes"
	"errors"

	"github.com/pelletier/go-toml/v2/unstable"
)

// maxSyntaxFaults bounds the syntax errors that are reported for one text.
const maxSyntaxFaults = 100

// syntax reports the syntax errors of the text. After an error it goes on at the
// next line where that line is sure to start a statement; where it may be the
// middle of a string or an array, a further error would be a guess.
func (d *document) syntax() {
	for start, n := 0, 0; n < maxSyntaxFaults; n++ {
		at, message := syntaxError(d.text[start:])
		if message == "" {
			return
		}
		at += start
		d.fault(at, "", "", "%s", message)
		line, _ := d.position(at)
		first := d.lines[line-1]
		if line == len(d.lines) || !closed(d.text[first:d.lines[line]]) {
			return
		}
		// The statement starts on this line only if those before it are whole.
		if _, earlier := syntaxError(d.text[start:first]); earlier != "" {
			return
		}
		start = d.lines[line]
	}
}

// syntaxError is the first syntax error of a text; an empty message means none.
func syntaxError(text []byte) (offset int, message string) {
	var p unstable.Parser
	p.Reset(text)
	for p.NextExpression() {
	}
	err := p.Error()
	if err == nil {
		return 0, ""
	}
	var at *unstable.ParserError
	if !errors.As(err, &at) {
		return 0, err.Error()
	}
	return int(p.Range(at.Highlight).Offset), at.Message
}

// closed reports whether a statement that starts on the line has to end on it:
// no bracket and no text of several lines stays open.
func closed(line []byte) bool {
	if bytes.HasPrefix(bytes.TrimLeft(line, " \t"), []byte("[")) {
		return true // the name of a table
	}
	depth := 0
	for i := 0; i < len(line) && line[i] != '#'; i++ {
		switch c := line[i]; c {
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		case '"', '\'':
			if bytes.HasPrefix(line[i:], []byte{c, c, c}) {
				return false
			}
			i += stringEnd(line[i+1:], c) + 1
		}
	}
	return depth <= 0
}

// stringEnd is the offset of the quote that ends a string of one line; the
// length of the line when there is none.
func stringEnd(line []byte, quote byte) int {
	for i := 0; i < len(line); i++ {
		switch {
		case line[i] == quote:
			return i
		case line[i] == '\\' && quote == '"':
			i++
		}
	}
	return len(line)
}
