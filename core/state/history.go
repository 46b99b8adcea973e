package state

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"time"
)

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
