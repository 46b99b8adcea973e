package manifest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/crucible-engine/crucible/core/diag"
	"github.com/crucible-engine/crucible/sdk/contract"
)

// ReadBase reads a file of the pristine base commit. The path is relative to
// the workspace, with forward slashes.
type ReadBase func(ctx context.Context, path string) ([]byte, error)

// Frozen loads the manifest at path for a workspace that was set up before
// (C-MANIFEST). The record, not the working tree, says where the workspace is.
//
// A manifest inside the workspace is read from the base commit, and so are the
// files it names there; what its inject strings stand for was settled when the
// record was made. A manifest outside is read from its place, where no agent
// can write, and may have changed. Either must name the recorded workspace.
func Frozen(ctx context.Context, path string, record Record, read ReadBase, options ...Option) (*Manifest, error) {
	if err := record.checkManifest(path); err != nil {
		return nil, err
	}
	text, err := frozenText(ctx, path, record, read)
	if err != nil {
		return nil, err
	}
	m, list := parse(path, record.Manifest, text, &record, options)
	if err := list.Err(); err != nil {
		return nil, err
	}
	if m.Workspace.Dir != record.Workspace {
		return nil, fmt.Errorf("load %s: it names the workspace %s, but this state directory belongs to %s; "+
			"use another --state-dir, or remove %s to start anew", path, m.Workspace.Dir, record.Workspace, RecordName)
	}
	m.base = read
	if record.inside() {
		m.Workspace.Inject = record.Injects
		m.warnOfEdit(path)
	}
	return m, nil
}

// warnOfEdit tells an author whose edit does not count why it does not.
func (m *Manifest) warnOfEdit(path string) {
	text, err := readRegular(m.Path, MaxText)
	if err == nil && bytes.Equal(text, m.Text) {
		return
	}
	m.Warnings = append(m.Warnings, diag.Diagnostic{
		Severity: diag.Warning, File: path,
		Message: "the file is not what the base commit holds; only the base commit counts",
		Hint:    "if the change is yours and not an agent's, remove " + RecordName + " from the state directory to start anew",
	})
}

func frozenText(ctx context.Context, path string, record Record, read ReadBase) ([]byte, error) {
	if !record.inside() {
		return readManifest(path, record.Manifest)
	}
	rel, err := filepath.Rel(record.Workspace, record.Manifest)
	if err != nil {
		return nil, fmt.Errorf("load %s: %w", path, err)
	}
	text, err := read(ctx, filepath.ToSlash(rel))
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, contract.ErrNotFound):
		return nil, fmt.Errorf("load %s: the base commit %s does not hold it: %w", path, record.BaseSHA, err)
	case err != nil:
		return nil, fmt.Errorf("load %s from the base commit %s: %w", path, record.BaseSHA, err)
	case sha256Hex(text) != record.TextSHA256:
		return nil, fmt.Errorf("load %s: the base commit %s holds another text than %s recorded", path, record.BaseSHA, RecordName)
	}
	return text, nil
}

// checkManifest compares the path with the recorded one. An agent may have
// removed the file, or put a link in its place, so a path whose directory is
// the recorded one will do.
func (r Record) checkManifest(path string) error {
	abs, err := filepath.Abs(path)
	if err != nil {
		return fmt.Errorf("load %s: %w", path, err)
	}
	file, err := filepath.EvalSymlinks(abs)
	if err == nil && file == r.Manifest {
		return nil
	}
	dir, dirErr := filepath.EvalSymlinks(filepath.Dir(abs))
	if dirErr == nil && filepath.Join(dir, filepath.Base(abs)) == r.Manifest {
		return nil
	}
	return fmt.Errorf("load %s: this state directory belongs to the manifest %s; "+
		"use another --state-dir, or remove %s to start anew", path, r.Manifest, RecordName)
}

// inside reports whether the recorded manifest lies in the recorded workspace.
func (r Record) inside() bool { return inside(r.Workspace, r.Manifest) }

// ReadText reads a goal or a prompt that the manifest names: from the base
// commit when the agent could write the file, else from its place.
func (m *Manifest) ReadText(ctx context.Context, path string) (string, error) {
	rel, ok := m.InBase(path)
	if !ok {
		return ReadText(path)
	}
	data, err := m.base(ctx, rel)
	if err != nil {
		return "", fmt.Errorf("read %s from the base commit: %w", rel, err)
	}
	return asText(path, data)
}

// InBase reports whether a file of the pack has to be read from the base
// commit, because it lies in a workspace that an agent has worked in, and its
// path there.
func (m *Manifest) InBase(path string) (rel string, ok bool) {
	if m.base == nil || !inside(m.Workspace.Dir, path) {
		return "", false
	}
	rel, err := filepath.Rel(m.Workspace.Dir, path)
	return filepath.ToSlash(rel), err == nil
}

// ReadBase reads a file that InBase named.
func (m *Manifest) ReadBase(ctx context.Context, rel string) ([]byte, error) {
	if m.base == nil {
		return nil, fmt.Errorf("read %s: the manifest was not loaded from a base commit", rel)
	}
	return m.base(ctx, rel)
}
