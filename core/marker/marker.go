// Package marker holds the files in the workspace by which the agent and the
// engine speak to each other (C-PATHS): ESCALATION.json and CANDIDATE.md are
// taken out of it, RESULTS.md is put there. The agent owns the workspace, so
// under such a name may lie anything: a link, a pipe, a directory, a gigabyte.
// Only a regular file of bounded size is read, nothing is followed, and what was
// taken is gone afterwards.
package marker

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"unicode/utf8"
)

// Names of the files in the workspace.
const (
	EscalationFile = "ESCALATION.json"
	CandidateFile  = "CANDIDATE.md"
)

// MaxSize bounds a marker in bytes; a larger one is malformed.
const MaxSize = 256 << 10

// ErrMalformed: something lay under the marker's name and it was no marker. It
// has been removed.
var ErrMalformed = errors.New("malformed marker")

// Take reads and removes a file of the workspace. Nothing there is (nil, nil).
func Take(workspace, name string) ([]byte, error) {
	root, err := openWorkspace(workspace)
	if err != nil {
		return nil, fmt.Errorf("take %s: %w", name, err)
	}
	defer root.Close()
	info, err := root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("take %s: %w", name, err)
	}
	data, readErr := read(root, name, info)
	if err := root.RemoveAll(name); err != nil {
		return nil, fmt.Errorf("take %s: %w", name, err)
	}
	return data, readErr
}

func read(root *os.Root, name string, info fs.FileInfo) ([]byte, error) {
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%w: %s is no regular file", ErrMalformed, name)
	}
	data, err := readBounded(root, name, MaxSize)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %v", ErrMalformed, name, err)
	}
	return data, nil
}

// Escalation is what an agent says when it gives up.
type Escalation struct {
	// Reason is required and not blank.
	Category, Reason, Evidence string
}

// TakeEscalation consumes ESCALATION.json. Nothing there is (nil, nil); one that
// cannot be used is ErrMalformed, and gone as well.
func TakeEscalation(workspace string) (*Escalation, error) {
	data, err := Take(workspace, EscalationFile)
	if err != nil || data == nil {
		return nil, err
	}
	var doc struct{ Category, Reason, Evidence string }
	if err := json.Unmarshal(data, &doc); err != nil {
		return nil, fmt.Errorf("%w: %s: %v", ErrMalformed, EscalationFile, err)
	}
	if strings.TrimSpace(doc.Reason) == "" {
		return nil, fmt.Errorf("%w: %s has no reason", ErrMalformed, EscalationFile)
	}
	return &Escalation{Category: doc.Category, Reason: doc.Reason, Evidence: doc.Evidence}, nil
}

// TakeCandidate consumes CANDIDATE.md, the agent's own account of its change.
func TakeCandidate(workspace string) (string, error) {
	data, err := Take(workspace, CandidateFile)
	return string(data), err
}

// Headline folds text to one line and cuts it after max characters.
func Headline(text string, max int) string {
	line := strings.Join(strings.Fields(strings.ToValidUTF8(text, "\uFFFD")), " ")
	if utf8.RuneCountInString(line) <= max {
		return line
	}
	return string([]rune(line)[:max])
}
