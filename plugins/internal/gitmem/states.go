package gitmem

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

const statesFile = "states"

// point is a state: a commit and its tree.
type point struct {
	commit, tree string
}

// states are the recorded states and the tip, the one that the workspace was
// last made or found to be. They are a file of lines that is only appended to,
// with one write each; a line that was cut off by a crash does not count.
//
//	state COMMIT TREE    was recorded
//	tip COMMIT TREE      is the tip from here on
//	none                 there is no tip from here on
type states struct {
	file  *os.File
	trees map[string]string
	tip   point
}

// openStates reads the file, made when it is missing.
func openStates(dir string) (*states, error) {
	name := filepath.Join(dir, statesFile)
	data, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read the recorded states: %w", err)
	}
	s := &states{trees: map[string]string{}}
	whole := data[:bytes.LastIndexByte(data, '\n')+1]
	for line := range strings.Lines(string(whole)) {
		s.take(strings.Fields(line))
	}
	if s.file, err = os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600); err != nil {
		return nil, fmt.Errorf("open the recorded states: %w", err)
	}
	if len(whole) < len(data) {
		_, err = s.file.WriteString("\n")
	}
	return s, err
}

func (s *states) take(f []string) {
	if len(f) == 1 && f[0] == "none" {
		s.tip = point{}
	}
	if len(f) != 3 || !formatOf(f[1]).isID(f[1]) || !formatOf(f[2]).isID(f[2]) {
		return
	}
	switch f[0] {
	case "state":
		s.trees[f[1]] = f[2]
	case "tip":
		s.tip = point{f[1], f[2]}
	}
}

func (s *states) write(text string) error {
	if _, err := s.file.WriteString(text); err != nil {
		return fmt.Errorf("write the recorded states: %w", err)
	}
	for line := range strings.Lines(text) {
		s.take(strings.Fields(line))
	}
	return nil
}

// record makes a state one that Restore knows, and the tip.
func (s *states) record(p point) error {
	if s.trees[p.commit] == p.tree {
		return s.move(p)
	}
	return s.write(fmt.Sprintf("state %[1]s %[2]s\ntip %[1]s %[2]s\n", p.commit, p.tree))
}

// hold makes a state one that Restore knows.
func (s *states) hold(p point) error {
	return s.write(fmt.Sprintf("state %s %s\n", p.commit, p.tree))
}

// move makes a state the tip.
func (s *states) move(p point) error {
	if p == s.tip {
		return nil
	}
	if p.commit == "" {
		return s.write("none\n")
	}
	return s.write(fmt.Sprintf("tip %s %s\n", p.commit, p.tree))
}

func (s *states) close() error {
	if s == nil {
		return nil
	}
	return s.file.Close()
}
