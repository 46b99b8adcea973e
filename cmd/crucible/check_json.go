package main

import (
	"io"

	"github.com/crucible-engine/crucible/core/check"
	"github.com/crucible-engine/crucible/core/exposure"
)

// checkJSON is what `check --json` prints. Keys are added, never changed.
type checkJSON struct {
	OK       bool               `json:"ok"`
	Digest   string             `json:"digest,omitempty"`
	Exposure *exposure.Document `json:"exposure,omitempty"`
	Probe    *probeJSON         `json:"probe,omitempty"`
	Selftest *selftestJSON      `json:"selftest,omitempty"`
	Findings []findingJSON      `json:"findings"`
}

type findingJSON struct {
	ID       string `json:"id"`
	Severity string `json:"severity"` // "error" or "warning"
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
	Column   int    `json:"column,omitempty"`
	Path     string `json:"path,omitempty"`
	Message  string `json:"message"`
	Fix      string `json:"fix,omitempty"`
}

type probeJSON struct {
	Score    *float64 `json:"score"`
	Tiebreak *float64 `json:"tiebreak,omitempty"`
	Solved   bool     `json:"solved"`
	Note     string   `json:"note"`
}

type selftestJSON struct {
	Good          []float64 `json:"good"`
	Bad           []float64 `json:"bad"`
	Discriminates bool      `json:"discriminates"`
	Overlap       bool      `json:"overlap"`
}

func printCheckJSON(w io.Writer, out checked) error {
	j := checkJSON{OK: !check.Failed(out.findings), Digest: out.digest, Exposure: out.exposure, Findings: []findingJSON{}}
	for _, f := range out.findings {
		j.Findings = append(j.Findings, findingJSON{
			ID: f.ID, Severity: f.Severity.String(), File: f.File, Line: f.Line, Column: f.Col, Path: f.Path, Message: f.Message, Fix: f.Hint,
		})
	}
	if t := out.trial; t != nil {
		if p := t.Probe; p != nil {
			j.Probe = &probeJSON{p.Score, p.Tiebreak, p.Solved, p.Note}
		}
		if s := t.Selftest; s != nil {
			j.Selftest = &selftestJSON{s.Good, s.Bad, s.Discriminates, s.Overlap}
		}
	}
	return printJSON(w, j)
}
