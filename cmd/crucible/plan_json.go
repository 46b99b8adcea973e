package main

import (
	"encoding/json"
	"io"

	"github.com/crucible-engine/crucible/core/exposure"
)

// changeJSON is one entry of `plan exposure --diff --json`.
type changeJSON struct {
	Change string          `json:"change"` // "added" or "removed"
	List   string          `json:"list"`   // "outputs" or "capabilities"
	Entry  json.RawMessage `json:"entry"`
}

func printChangesJSON(w io.Writer, changes []exposure.Change) error {
	out := []changeJSON{}
	for _, c := range changes {
		what := "removed"
		if c.Added {
			what = "added"
		}
		out = append(out, changeJSON{what, c.List, json.RawMessage(c.Entry)})
	}
	return printJSON(w, out)
}
