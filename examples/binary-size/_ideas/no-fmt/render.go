package main

import (
	"io"
	"strconv"
	"strings"
)

// render prints the report.
func (r *report) render(out io.Writer) error {
	var b strings.Builder
	b.WriteString(strconv.Itoa(r.Packages) + " packages, " + strconv.Itoa(r.Size) + " kB installed\n\nSections\n")
	for _, s := range r.Sections {
		b.WriteString(left(s.Name, 12) + right(strconv.Itoa(s.Count), 6) + right(strconv.Itoa(s.Size), 10) + " kB" +
			right(strconv.FormatFloat(s.Share, 'f', 1, 64), 6) + " %\n")
	}
	b.WriteString("\nLargest packages\n")
	for _, p := range r.Largest {
		b.WriteString(left(p.Name, 32) + right(strconv.Itoa(p.Size), 10) + " kB  " + p.Version + "\n")
	}
	b.WriteString("\nMost wanted\n")
	for _, p := range r.Wanted {
		b.WriteString(left(p.Name, 32) + right(strconv.Itoa(p.Count), 6) + "\n")
	}
	_, err := io.WriteString(out, b.String())
	return err
}

func left(s string, width int) string  { return s + pad(s, width) }
func right(s string, width int) string { return pad(s, width) + s }

func pad(s string, width int) string { return strings.Repeat(" ", max(0, width-len(s))) }
