package state

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"time"
)

// The names in a state directory.
const (
	sessionFile = "session.jsonl"
	controlFile = "control.json"
	runFile     = "run.json"
	historyDir  = "history"
	scratchDir  = "scratch"
)

// runFiles is everything that belongs to one run, by name. What is not listed
// stays where it is: a state directory may hold a person's files.
func runFiles() []string {
	return []string{
		sessionFile, "admissions.jsonl", "outputs.jsonl",
		"agent-sessions.json", "agent-session-private", "playbook-run.json",
		"otel.jsonl", "files",
	}
}

// run is the content of run.json.
type run struct {
	RunID     string    `json:"run_id"`
	StartedAt time.Time `json:"started_at"`
}

// ErrNoRun is the cause when Continue finds no run.
var ErrNoRun = errors.New("no run to continue")

var runIDForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

func isRunID(s string) bool { return len(s) <= maxRunID && runIDForm.MatchString(s) }

// maxRunID is the most bytes of a run id.
const maxRunID = 120

// Begin starts a fresh run and opens its empty log. The files of the run before
// it go to history/<its id>/; an engine that dies on the way loses nothing, the
// next Begin goes on where it stopped. An id that an earlier run has gets a
// number; the id that counts is returned.
func (d *Dir) Begin(id string) (string, error) {
	if !isRunID(id) {
		return "", fmt.Errorf("begin run %q: not a run id", id)
	}
	id, err := d.begin(id)
	if err != nil {
		return "", fmt.Errorf("begin run in %s: %w", d.path, err)
	}
	return id, nil
}

func (d *Dir) begin(id string) (string, error) {
	if d.log != nil {
		return "", errors.New("a run has begun already")
	}
	before, err := d.archive()
	if err != nil {
		return "", err
	}
	if id, err = d.unusedID(id, before); err != nil {
		return "", err
	}
	if err := d.writeRun(id); err != nil {
		return "", err
	}
	return id, d.openSession()
}

// NewID is the id for a run that starts now, RunID with a number when an earlier
// run in this directory has it. Begin takes it as it is.
func (d *Dir) NewID(goal string, now time.Time) (string, error) {
	r, err := d.readRun()
	if err != nil {
		return "", err
	}
	return d.unusedID(RunID(goal, now), r.RunID)
}

// Continue opens the log of the run that is there for appending and returns the
// run's id. It fails with ErrNoRun when there is none.
func (d *Dir) Continue() (string, error) {
	if d.log != nil {
		return "", fmt.Errorf("continue run in %s: a run has begun already", d.path)
	}
	r, err := d.readRun()
	if err == nil && r.RunID == "" {
		err = ErrNoRun
	}
	if err == nil {
		if _, err = d.root.Lstat(sessionFile); errors.Is(err, fs.ErrNotExist) {
			err = ErrNoRun
		}
	}
	if err == nil {
		err = d.openSession()
	}
	if err != nil {
		return "", fmt.Errorf("continue run in %s: %w", d.path, err)
	}
	return r.RunID, nil
}

// openSession opens the session log. A stop order for an earlier process of the
// run must not stop this one.
func (d *Dir) openSession() error {
	if err := d.root.Remove(controlFile); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove stale %s: %w", controlFile, cause(err))
	}
	l, err := openLog(d.root, d.path, sessionFile)
	if err != nil {
		return err
	}
	d.log = l
	return d.syncDir(".")
}

func (d *Dir) writeRun(id string) error {
	text, err := json.Marshal(run{id, time.Now().UTC().Truncate(time.Second)})
	if err != nil {
		return err
	}
	return d.Write(runFile, append(text, '\n'))
}

// readRun is the recorded run. A file that says nothing usable counts as none:
// it only names a directory in the history.
func (d *Dir) readRun() (run, error) {
	f, err := openRegular(d.root, runFile, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return run{}, nil
	}
	if err != nil {
		return run{}, fmt.Errorf("open %s: %w", d.File(runFile), cause(err))
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, 4096))
	if err != nil {
		return run{}, fmt.Errorf("read %s: %w", d.File(runFile), cause(err))
	}
	var r run
	if json.Unmarshal(text, &r) != nil || !isRunID(r.RunID) {
		return run{}, nil
	}
	return r, nil
}
