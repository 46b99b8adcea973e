package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/crucible-engine/crucible/core/host"
)

const (
	maxReasons  = 16       // reasons of one case that are shown
	maxReason   = 1 << 10  // bytes of one of them
	keptReason  = 16 << 10 // bytes of one of them in JSON
	resultOK    = "ok"
	resultFail  = "fail"
	resultSkip  = "skip"
	moreReasons = "and more"
)

// result is the word for how a case ended. A case that failed and then was
// skipped has failed.
func (t tried) result() string {
	switch {
	case t.Failed:
		return resultFail
	case t.Skipped:
		return resultSkip
	default:
		return resultOK
	}
}

// reasons is what a case that did not pass had to say after its demand, bounded:
// it may repeat what the plugin printed.
func (t tried) reasons() []string {
	if t.result() == resultOK {
		return nil
	}
	var reasons []string
	for i, text := range t.Log {
		switch {
		case i == 0: // the demand
		case len(reasons) == maxReasons:
			return append(reasons, moreReasons)
		default:
			reasons = append(reasons, shorten(strings.ToValidUTF8(text, "�"), keptReason))
		}
	}
	return reasons
}

func joinReasons(reasons []string) string {
	var short []string
	for _, r := range reasons {
		short = append(short, shorten(strings.TrimSpace(r), maxReason))
	}
	return strings.Join(short, "; ")
}

// shorten marks where a text was cut.
func shorten(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return cut(text, limit) + "…"
}

// reportJSON is what `plugin test --json` prints.
type reportJSON struct {
	Kind     string     `json:"kind"`
	Name     string     `json:"name"`
	Version  string     `json:"version"`
	Contract string     `json:"contract"`
	Path     string     `json:"path"`
	SHA256   string     `json:"sha256"`
	OK       bool       `json:"ok"`
	Passed   int        `json:"passed"`
	Failed   int        `json:"failed"`
	Skipped  int        `json:"skipped"`
	Cases    []caseJSON `json:"cases"`
}

type caseJSON struct {
	Name    string   `json:"name"`
	Demand  string   `json:"demand"`
	Result  string   `json:"result"`
	Reasons []string `json:"reasons"`
	Seconds float64  `json:"seconds"`
}

func newReport(i host.Inspected) *reportJSON {
	return &reportJSON{
		Kind: i.Info.Kind, Name: i.Info.Name, Version: i.Info.Version, Contract: i.Info.Contract,
		Path: i.Path, SHA256: i.SHA256, OK: true, Cases: []caseJSON{},
	}
}

func (r *reportJSON) add(t tried) {
	switch t.result() {
	case resultOK:
		r.Passed++
	case resultSkip:
		r.Skipped++
	default:
		r.Failed++
		r.OK = false
	}
	r.Cases = append(r.Cases, caseJSON{
		Name: t.Name, Demand: t.Demand, Result: t.result(), Reasons: append([]string{}, t.reasons()...),
		Seconds: t.took.Round(time.Millisecond).Seconds(),
	})
}

func printSummary(w io.Writer, r *reportJSON) {
	fmt.Fprintf(w, "%s/%s %s: %d passed, %d failed, %d skipped\n", r.Kind, r.Name, r.Version, r.Passed, r.Failed, r.Skipped)
}
