package inject

import (
	"context"
	"fmt"

	"github.com/crucible-engine/crucible/core/identity"
	"github.com/crucible-engine/crucible/core/manifest"
)

// Set is the content of all injects as it was at the start of the run.
type Set struct {
	files []file
}

// Read takes the sources once. Every source has to be a regular file; one that
// is not there, or that changes while it is read, is an error that names it.
//
// A source of at most 1 MiB is kept in memory, as long as all of them take no
// more than 64 MiB: later changes of it do not change what the set places. A
// larger one is read again whenever it is placed, and has to be what it was.
func Read(entries []manifest.Inject) (*Set, error) {
	return read(context.Background(), entries, func(e manifest.Inject) source { return disk(e.Src) })
}

// ReadManifest is Read for the injects of a manifest. Sources inside a workspace
// that an agent has worked in come from the base commit (C-MANIFEST).
func ReadManifest(ctx context.Context, m *manifest.Manifest) (*Set, error) {
	return read(ctx, m.Workspace.Inject, func(e manifest.Inject) source {
		if path, ok := m.InBase(e.Src); ok {
			return base{m, path, e.Mode}
		}
		return disk(e.Src)
	})
}

func read(ctx context.Context, entries []manifest.Inject, from func(manifest.Inject) source) (*Set, error) {
	s := &Set{files: make([]file, 0, len(entries))}
	var kept, total int64
	for _, e := range entries {
		f := file{dst: e.Dst, frozen: e.Frozen, source: from(e)}
		if err := f.take(ctx, maxKeptTotal-kept, manifest.MaxInjectBytes-total); err != nil {
			return nil, fmt.Errorf("inject %s: read %s: %w", e.Dst, e.Src, err)
		}
		kept += int64(len(f.kept))
		total += f.size
		s.files = append(s.files, f)
	}
	return s, nil
}

// Apply places all files in a workspace that was just made (C-COMMANDS). A file
// or link that stands at a destination is replaced, never written through. A
// directory there, or a file or link where a parent directory has to be, is an
// error: it belongs to the repository, and losing it would surprise its owner.
func (s *Set) Apply(ctx context.Context, workspace string) error {
	return s.place(ctx, workspace, placing{})
}

// ApplyFrozen places the frozen files again, in a workspace that an agent has
// worked in. Whatever is in their way, be it a link or a directory with all that
// is in it, is removed and never followed (C-COMMANDS).
func (s *Set) ApplyFrozen(ctx context.Context, workspace string) error {
	return s.place(ctx, workspace, placing{frozenOnly: true, clear: true})
}

// Parts are the digests that the run's identity is computed from, in the order
// of the manifest.
func (s *Set) Parts() []identity.Inject {
	parts := make([]identity.Inject, len(s.files))
	for i, f := range s.files {
		parts[i] = identity.Inject{Dst: f.dst, SHA256: f.sum}
	}
	return parts
}
