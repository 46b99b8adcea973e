package main

import (
	"bufio"
	"fmt"
	"io"
)

// render prints the report.
func (r *report) render(out io.Writer) error {
	w := bufio.NewWriter(out)
	fmt.Fprintf(w, "%d packages, %d kB installed\n\nSections\n", r.Packages, r.Size)
	for _, s := range r.Sections {
		fmt.Fprintf(w, "%-12s %5d %9d kB %5.1f %%\n", s.Name, s.Count, s.Size, s.Share)
	}
	fmt.Fprint(w, "\nLargest packages\n")
	for _, p := range r.Largest {
		fmt.Fprintf(w, "%-32s %9d kB  %s\n", p.Name, p.Size, p.Version)
	}
	fmt.Fprint(w, "\nMost wanted\n")
	for _, p := range r.Wanted {
		fmt.Fprintf(w, "%-32s %5d\n", p.Name, p.Count)
	}
	return w.Flush()
}
