package gitmem

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"
)

// Names of the files that describe a memory.
const (
	recordFile = "memory.json"
	makingFile = "making" // exists while the workspace is being made
	lockFile   = "lock"
)

// record is what a memory knows about its workspace between processes.
type record struct {
	// Version is that of this format.
	Version int `json:"version"`
	// Workspace is the real path.
	Workspace string `json:"workspace"`
	Format    format `json:"format"`
	// Branch is the reference that HEAD names, empty when HEAD is a commit.
	Branch string `json:"branch"`
	// GitFile is the content of .git when that is a file; GitDir and CommonDir
	// are then where it leads.
	GitFile   string `json:"git_file,omitempty"`
	GitDir    string `json:"git_dir,omitempty"`
	CommonDir string `json:"common_dir,omitempty"`
	// Name and Email are the author of the commits.
	Name  string `json:"name"`
	Email string `json:"email"`
	// Exclude are the engine's own paths, as asked for when opened.
	Exclude []string `json:"exclude"`
	// Submodules are the paths that the original commit has no files for.
	Submodules []submodule `json:"submodules,omitempty"`
	// Strange are paths of nested repositories, sockets and pipes that were there
	// when the workspace was opened.
	Strange []string `json:"strange,omitempty"`
	// Ignores are the .gitignore files that were there when the workspace was
	// opened.
	Ignores []string `json:"ignores,omitempty"`
	// Original is the commit that the workspace stood on when it was opened.
	Original string `json:"original,omitempty"`
	// Replaces: the repository came with replacements of objects.
	Replaces bool `json:"replaces,omitempty"`
	// Whole: the shadow holds every object of the tip. Until the first snapshot
	// the tip is the visible repository's.
	Whole bool `json:"whole"`
	// Borrows: states that only the visible repository has may be taken over.
	Borrows bool `json:"borrows,omitempty"`
	// Closed: the memory was let go of in order.
	Closed bool `json:"closed"`
	// Fork is set for a disposable copy.
	Fork *forkRecord `json:"fork,omitempty"`
	// Seal is the copy of the visible repository's furniture.
	Seal seal `json:"seal"`
}

// submodule is a path that is a commit of another repository.
type submodule struct {
	Path string `json:"path"`
	// Filled: it was checked out when the workspace was opened; what lies in it
	// is not the memory's.
	Filled bool `json:"filled"`
}

// forkRecord says where a fork comes from.
type forkRecord struct {
	Parent string `json:"parent"`
	// Tree is what the fork began with.
	Tree string `json:"tree"`
	// Objects are the object directories that it reads.
	Objects []string `json:"objects"`
}

const recordVersion = 1

// readRecord gives nil when there is none, or one that this version cannot read:
// then the memory begins anew.
func readRecord(dir string) (*record, error) {
	data, err := os.ReadFile(filepath.Join(dir, recordFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the memory's record: %w", err)
	}
	var r record
	if err := json.Unmarshal(data, &r); err != nil || r.Version != recordVersion {
		return nil, nil
	}
	return &r, nil
}

func (r *record) write(dir string) error {
	r.Version = recordVersion
	data, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("write the memory's record: %w", err)
	}
	if err := renameio.WriteFile(filepath.Join(dir, recordFile), data, 0o600); err != nil {
		return fmt.Errorf("write the memory's record: %w", err)
	}
	return nil
}
