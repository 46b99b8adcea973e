package state

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
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

var runIDForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,119}$`)

// Begin starts a fresh run and opens its empty log. The files of the run before
// it go to history/<its id>/; an engine that dies on the way loses nothing, the
// next Begin goes on where it stopped. An id that an earlier run has gets a
// number; the id that counts is returned.
func (d *Dir) Begin(id string) (string, error) {
	if !runIDForm.MatchString(id) {
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

// archive moves the files of the run before into its history and returns its id,
// empty when there was none.
func (d *Dir) archive() (string, error) {
	var names []string
	for _, name := range runFiles() {
		if _, err := d.root.Lstat(name); err == nil {
			names = append(names, name)
		} else if !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("look at %s: %w", name, cause(err))
		}
	}
	r, err := d.readRun()
	if err != nil {
		return "", err
	}
	if len(names) == 0 {
		return r.RunID, nil
	}
	if r.RunID == "" {
		// Nobody recorded the run. It gets a name that is written down first, so
		// that a crash in between does not spread it over two directories.
		if r.RunID, err = d.unusedID(d.lostID(names[0]), ""); err != nil {
			return "", err
		}
		if err := d.writeRun(r.RunID); err != nil {
			return "", err
		}
	}
	return r.RunID, d.moveAway(names, filepath.Join(historyDir, r.RunID))
}

// moveAway moves files one by one; run.json, which says where to, goes last.
func (d *Dir) moveAway(names []string, to string) error {
	if err := d.healLogs(names); err != nil {
		return err
	}
	if err := d.mkdir(to); err != nil {
		return fmt.Errorf("create %s: %w", d.File(to), cause(err))
	}
	for _, name := range append(slices.Clone(names), runFile) {
		target, err := d.unusedName(filepath.Join(to, name))
		if err != nil {
			return err
		}
		if err := d.root.Rename(name, target); err != nil {
			return fmt.Errorf("move %s to %s: %w", d.File(name), d.File(to), cause(err))
		}
	}
	return errors.Join(d.syncDir(to), d.syncDir(historyDir), d.syncDir("."))
}

// healLogs closes torn tails before the logs are put away.
func (d *Dir) healLogs(names []string) error {
	for _, name := range names {
		info, err := d.root.Lstat(name)
		if err != nil || !info.Mode().IsRegular() || filepath.Ext(name) != ".jsonl" {
			continue
		}
		l, err := openLog(d.root, d.path, name)
		if err != nil {
			return err
		}
		if err := l.Close(); err != nil {
			return err
		}
	}
	return nil
}

// lostID names a run that has no run.json, by the age of one of its files.
func (d *Dir) lostID(name string) string {
	when := time.Now()
	if info, err := d.root.Lstat(name); err == nil {
		when = info.ModTime()
	}
	return RunID("unnamed", when)
}

// unusedID is id, or id with a number, so that no earlier run has it.
func (d *Dir) unusedID(id, before string) (string, error) {
	candidate := id
	for n := 2; ; n++ {
		_, err := d.root.Lstat(filepath.Join(historyDir, candidate))
		if errors.Is(err, fs.ErrNotExist) && candidate != before {
			return candidate, nil
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("look for %s: %w", candidate, cause(err))
		}
		candidate = id + "-" + strconv.Itoa(n)
	}
}

// unusedName is path, or path with a number: nothing in the history is replaced.
func (d *Dir) unusedName(path string) (string, error) {
	candidate := path
	for n := 2; ; n++ {
		_, err := d.root.Lstat(candidate)
		if errors.Is(err, fs.ErrNotExist) {
			return candidate, nil
		}
		if err != nil {
			return "", fmt.Errorf("look at %s: %w", d.File(candidate), cause(err))
		}
		candidate = path + "." + strconv.Itoa(n)
	}
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
	if json.Unmarshal(text, &r) != nil || !runIDForm.MatchString(r.RunID) {
		return run{}, nil
	}
	return r, nil
}
