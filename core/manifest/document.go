package manifest

import (
	"cmp"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/crucible-engine/crucible/core/diag"
)

// maxFaults bounds the diagnostics of one file. Nobody reads as many.
const maxFaults = 2 * maxKeys

// document is a manifest's text, its tree, and the faults found so far.
type document struct {
	// file is what diagnostics call the file.
	file string
	text []byte
	// lines holds the offset of each line's first byte.
	lines []int
	root  *node
	list  diag.List
}

func newDocument(file string, text []byte) *document {
	d := &document{file: file, text: text, lines: []int{0}}
	for i, b := range text {
		if b == '\n' {
			d.lines = append(d.lines, i+1)
		}
	}
	return d
}

// position turns a byte offset into a line and a column, both from 1, the
// column in characters as an editor counts them.
func (d *document) position(offset int) (line, col int) {
	offset = min(max(offset, 0), len(d.text))
	i, found := slices.BinarySearchFunc(d.lines, offset, cmp.Compare[int])
	if !found {
		i--
	}
	return i + 1, utf8.RuneCount(d.text[d.lines[i]:offset]) + 1
}

// offset is the inverse of position for a column in bytes.
func (d *document) offset(line, byteCol int) int {
	line = min(max(line, 1), len(d.lines))
	return min(d.lines[line-1]+max(byteCol, 1)-1, len(d.text))
}

// fault records an error at an offset.
func (d *document) fault(offset int, path, hint, format string, args ...any) {
	d.report(diag.Error, offset, path, hint, format, args...)
}

func (d *document) report(s diag.Severity, offset int, path, hint, format string, args ...any) {
	if len(d.list) < maxFaults {
		d.list = append(d.list, d.diagnostic(s, offset, path, hint, format, args...))
	}
}

func (d *document) diagnostic(s diag.Severity, offset int, path, hint, format string, args ...any) diag.Diagnostic {
	line, col := d.position(offset)
	return diag.Diagnostic{
		Severity: s, File: d.file, Line: line, Col: col, Path: path,
		Message: fmt.Sprintf(format, args...), Hint: hint,
	}
}
