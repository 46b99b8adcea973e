package main

import (
	"cmp"
	"slices"
)

const top = 10

type report struct {
	Packages, Size int
	Sections       []row
	Largest        []row
	Wanted         []row
}

// row is one line of the report. What does not apply is empty.
type row struct {
	Name, Version string
	Count, Size   int
	Share         float64 // percent
}

func analyse(packages []pkg) *report {
	r := &report{Packages: len(packages)}
	sections, wanted := map[string]row{}, map[string]row{}
	for _, p := range packages {
		r.Size += p.size
		r.Largest = append(r.Largest, row{Name: p.name, Version: p.version, Size: p.size})
		add(sections, p.section, p.size)
		slices.Sort(p.depends)
		for _, name := range slices.Compact(p.depends) {
			add(wanted, name, 0)
		}
	}
	r.Sections = sorted(sections, bySize)
	for i := range r.Sections {
		r.Sections[i].Share = 100 * float64(r.Sections[i].Size) / float64(r.Size)
	}
	r.Wanted = first(sorted(wanted, byCount))
	slices.SortFunc(r.Largest, bySize)
	r.Largest = first(r.Largest)
	return r
}

func add(rows map[string]row, name string, size int) {
	r := rows[name]
	r.Name, r.Count, r.Size = name, r.Count+1, r.Size+size
	rows[name] = r
}

func sorted(rows map[string]row, order func(a, b row) int) []row {
	var all []row
	for _, r := range rows {
		all = append(all, r)
	}
	slices.SortFunc(all, order)
	return all
}

func first(rows []row) []row { return rows[:min(len(rows), top)] }

func bySize(a, b row) int {
	return cmp.Or(cmp.Compare(b.Size, a.Size), cmp.Compare(a.Name, b.Name))
}

func byCount(a, b row) int {
	return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Name, b.Name))
}
