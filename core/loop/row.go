package loop

import (
	"bytes"
	"fmt"

	"github.com/crucible-engine/crucible/core/decide"
	"github.com/crucible-engine/crucible/core/marker"
	"github.com/crucible-engine/crucible/core/report"
	"github.com/crucible-engine/crucible/core/wire"
	"github.com/crucible-engine/crucible/sdk/transport"
)

func readingRow(iter int, decision string, reading decide.Reading) wire.RowData {
	return wire.RowData{
		Iter: iter, Decision: decision, Note: reading.Note, Detail: reading.Detail,
		Score: reading.Score, Tiebreak: reading.Tiebreak, Total: reading.Total,
	}
}

// maxRetained bounds the diffs and write-ups that are held for the summary, in
// bytes. A row's own line always has them.
const maxRetained = 8 << 20

// addRow records a row and shows it to the agent in RESULTS.md.
func (r *run) addRow(row wire.RowData, solved bool) error {
	row = r.maskRow(row)
	if err := r.deps.Recorder.Record(wire.Row{Row: row, Solved: solved}); err != nil {
		return err
	}
	if r.retained += len(row.Diff) + len(row.CandidateMD); r.retained > maxRetained {
		row.Diff, row.CandidateMD = "", ""
	}
	r.rows = append(r.rows, row)
	return r.publishResults()
}

// maskRow takes secrets out of a row before the agent or anybody else sees it.
func (r *run) maskRow(row wire.RowData) wire.RowData {
	if masked, ok := wire.MapText(wire.Row{Row: row}, r.mask).(wire.Row); ok {
		return masked.Row
	}
	return row
}

// publishResults rewrites RESULTS.md when it would differ from what is there. An
// agent that makes that impossible has a run without it: the file is for the
// agent, and everything in it is on record.
func (r *run) publishResults() error {
	text := report.Results(report.Table{Goal: r.mask(r.cfg.Goal), Objective: r.cfg.Objective, Rows: r.rows})
	if bytes.Equal(text, r.results) && marker.Holds(r.cfg.Workspace, marker.ResultsFile, text) {
		return nil
	}
	if err := marker.Put(r.cfg.Workspace, marker.ResultsFile, text); err != nil {
		return r.note("could not write " + marker.ResultsFile + ": " + err.Error())
	}
	r.results = text
	return nil
}

func deniedText(d transport.Denied) string {
	if d.Binary == "" {
		return fmt.Sprintf("%s:%d", d.Host, d.Port)
	}
	return fmt.Sprintf("%s:%d by %s", d.Host, d.Port, d.Binary)
}
