package main

import (
	"io"
	"text/template"
)

var layout = template.Must(template.New("report").Parse(
	`{{.Packages}} packages, {{.Size}} kB installed

Sections
{{range .Sections}}{{printf "%-12s %5d %9d kB %5.1f %%" .Name .Count .Size .Share}}
{{end}}
Largest packages
{{range .Largest}}{{printf "%-32s %9d kB  %s" .Name .Size .Version}}
{{end}}
Most wanted
{{range .Wanted}}{{printf "%-32s %5d" .Name .Count}}
{{end}}`))

// render prints the report.
func (r *report) render(out io.Writer) error { return layout.Execute(out, r) }
