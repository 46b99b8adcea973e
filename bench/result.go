package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
)

// result is one line of the table.
type result struct {
	Name string `json:"name"`
	// Unit is that of all numbers: "ms" or "MB".
	Unit string `json:"unit"`
	Ours side   `json:"ours"`
	// Bare is what Ours stands beside; nil when the target is an amount.
	Bare *side `json:"bare,omitempty"`
	// Value is what the target bounds: the ratio of the medians, or the amount.
	Value float64 `json:"value"`
	// Target is 0 for what only explains another line.
	Target float64 `json:"target,omitzero"`
	Met    bool    `json:"met"`
}

// side is one of the two things that are compared.
type side struct {
	What    string    `json:"what"`
	Median  float64   `json:"median"`
	Samples []float64 `json:"samples"`
}

func newSide(what string, samples []float64) side {
	return side{What: what, Median: median(samples), Samples: samples}
}

func median(samples []float64) float64 {
	s := slices.Sorted(slices.Values(samples))
	n := len(s)
	if n%2 == 1 {
		return s[n/2]
	}
	return (s[n/2-1] + s[n/2]) / 2
}

func ratio(name string, ours, bare side, target float64) result {
	value := ours.Median / bare.Median
	return result{Name: name, Unit: "ms", Ours: ours, Bare: &bare, Value: value, Target: target, Met: target == 0 || value <= target}
}

func amount(name string, ours side, target float64) result {
	return result{Name: name, Unit: "MB", Ours: ours, Value: ours.Median, Target: target, Met: ours.Median <= target}
}

func writeTable(out io.Writer, machine string, results []result) error {
	fmt.Fprintf(out, "%s; medians\n\n", machine)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "WHAT\tOURS\tBARE\tRATIO\tTARGET\t")
	for _, r := range results {
		bare, value, target := "", "", fmt.Sprintf("<= %.0f %s", r.Target, r.Unit)
		if r.Bare != nil {
			bare = fmt.Sprintf("%.1f %s", r.Bare.Median, r.Unit)
			value, target = fmt.Sprintf("%.2f", r.Value), fmt.Sprintf("<= %.2f", r.Target)
		}
		verdict := "met"
		switch {
		case r.Target == 0:
			target, verdict = "", ""
		case !r.Met:
			verdict = "MISSED"
		}
		fmt.Fprintf(w, "%s\t%.1f %s\t%s\t%s\t%s\t%s\n", r.Name, r.Ours.Median, r.Unit, bare, value, target, verdict)
	}
	return w.Flush()
}

func writeJSON(out io.Writer, machine string, results []result) error {
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	return encoder.Encode(struct {
		Machine string   `json:"machine"`
		Results []result `json:"results"`
	}{machine, results})
}
