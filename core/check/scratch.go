package check

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/renameio/v2"
	"github.com/otiai10/copy"

	"github.com/crucible-engine/crucible/core/manifest"
)

// Bounds on the copy of a pack.
const (
	maxCopyEntries = 1_000_000
	maxCopyBytes   = 64 << 30
)

// scratch is where a pack is tried: a copy of its directory and, when that lies
// elsewhere, of its workspace.
type scratch struct {
	dir string
}

func (s scratch) pack() string      { return filepath.Join(s.dir, "pack") }
func (s scratch) workspace() string { return filepath.Join(s.dir, "workspace") }
func (s scratch) state() string     { return filepath.Join(s.dir, "state") }

// make copies the pack and gives the path of the manifest's copy, and the
// workspace to use in place of the manifest's, empty when that is within the
// copy.
func (s scratch) make(ctx context.Context, m *manifest.Manifest, skip ...string) (path, workspace string, err error) {
	for _, dir := range []string{s.dir, s.state()} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return "", "", err
		}
	}
	skip = append(skip, s.dir)
	if err := copyTree(ctx, m.Dir, s.pack(), skip); err != nil {
		return "", "", fmt.Errorf("copy the pack: %w", err)
	}
	path = filepath.Join(s.pack(), filepath.Base(m.Path))
	rel, err := filepath.Rel(m.Dir, m.Workspace.Dir)
	if err == nil && filepath.IsLocal(rel) {
		return path, "", nil
	}
	if _, err := os.Stat(m.Workspace.Dir); errors.Is(err, fs.ErrNotExist) {
		return path, s.workspace(), nil
	}
	if err := copyTree(ctx, m.Workspace.Dir, s.workspace(), skip); err != nil {
		return "", "", fmt.Errorf("copy the workspace: %w", err)
	}
	return path, s.workspace(), nil
}

// write replaces a file of the trial's state directory.
func (s scratch) write(name string, data []byte) error {
	return renameio.WriteFile(filepath.Join(s.state(), name), data, 0o600)
}

// copyTree copies files, directories and links as they are. Pipes, sockets and
// devices are left out.
func copyTree(ctx context.Context, from, to string, skip []string) error {
	entries, bytes := 0, int64(0)
	return copy.Copy(from, to, copy.Options{
		OnSymlink:     func(string) copy.SymlinkAction { return copy.Shallow },
		PreserveTimes: true,
		Skip: func(info os.FileInfo, src, _ string) (bool, error) {
			for _, s := range skip {
				if src == s || strings.HasPrefix(src, s+"/") {
					return true, nil
				}
			}
			if entries++; info.Mode().IsRegular() {
				bytes += info.Size()
			}
			if entries > maxCopyEntries || bytes > maxCopyBytes {
				return false, fmt.Errorf("more than %d files or %d bytes", maxCopyEntries, int64(maxCopyBytes))
			}
			return false, ctx.Err()
		},
	})
}
