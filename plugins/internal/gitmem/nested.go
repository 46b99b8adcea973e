package gitmem

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// placeholder is a file that makes git look into a directory that is a
// repository of its own. It is in the index only until the next git add.
const placeholder = ".crucible-placeholder"

// flattenNested makes git record the repositories inside the workspace as plain
// files: as repositories they would be a commit's name whose files nobody has.
func (m *memory) flattenNested(ctx context.Context) error {
	known := map[string]bool{}
	for _, s := range m.rec.Submodules {
		known[s.Path] = true
	}
	var nested []string
	staged := &records{each: func(s string) error {
		entry, p, _ := strings.Cut(s, "\t")
		if strings.HasPrefix(entry, submoduleMode+" ") && !known[p] {
			nested = append(nested, p)
		}
		return nil
	}}
	if _, err := m.shadow.run(ctx, request{args: []string{"ls-files", "-s", "-z"}, index: workIndex, stdout: staged}); err != nil {
		return err
	}
	others := &records{each: func(s string) error {
		if p, ok := strings.CutSuffix(s, "/"); ok && !known[p] {
			nested = append(nested, p)
		}
		return nil
	}}
	args := []string{"ls-files", "-o", "-z", "--exclude-standard"}
	if _, err := m.shadow.run(ctx, request{args: args, index: workIndex, stdout: others}); err != nil {
		return err
	}
	return m.flatten(ctx, nested)
}

// flattenSubmodules does the same for submodules that were empty when the
// workspace was opened and have files now.
func (m *memory) flattenSubmodules(ctx context.Context) (any bool, err error) {
	filled, err := m.filledSubmodules(ctx, workIndex)
	if err != nil {
		return false, err
	}
	return len(filled) > 0, m.flatten(ctx, filled)
}

// filledSubmodules are those that an index has as such although there are files
// in them now that were not there when the workspace was opened.
func (m *memory) filledSubmodules(ctx context.Context, index string) ([]string, error) {
	args := []string{"ls-files", "-s", "-z", "--"}
	before := len(args)
	for _, s := range m.rec.Submodules {
		if !s.Filled && !isEmptyDir(filepath.Join(m.rec.Workspace, filepath.FromSlash(s.Path))) {
			args = append(args, s.Path)
		}
	}
	if len(args) == before {
		return nil, nil
	}
	var filled []string
	each := &records{each: func(s string) error {
		if entry, p, _ := strings.Cut(s, "\t"); strings.HasPrefix(entry, submoduleMode+" ") {
			filled = append(filled, p)
		}
		return nil
	}}
	_, err := m.shadow.run(ctx, request{args: args, index: index, stdout: each})
	return filled, err
}

func (m *memory) flatten(ctx context.Context, dirs []string) error {
	var changes bytes.Buffer
	for _, d := range dirs {
		fmt.Fprintf(&changes, "0 %s\t%s\x00", m.shadow.format.none(), d)
		fmt.Fprintf(&changes, "100644 %s\t%s/%s\x00", m.shadow.format.emptyBlob(), d, placeholder)
	}
	return m.updateIndex(ctx, &changes, "--index-info")
}

// emptySubmodules removes what was put into submodules that were empty: git
// never looks there.
func (m *memory) emptySubmodules(ctx context.Context) error {
	filled, err := m.filledSubmodules(ctx, mainIndex)
	if err != nil || len(filled) == 0 {
		return err
	}
	root, err := os.OpenRoot(m.rec.Workspace)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, p := range filled {
		if err := removeIn(root, p); err != nil {
			return err
		}
		if err := root.Mkdir(p, 0o777); err != nil {
			return err
		}
	}
	return nil
}
