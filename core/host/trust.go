package host

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/crucible-engine/crucible/sdk/plugin"
)

// Inspected is a binary that the operator may come to trust.
type Inspected struct {
	// Info is what the plugin says about itself.
	Info plugin.Info
	// Path is absolute, without links.
	Path string
	// SHA256 is in hexadecimal.
	SHA256 string
	// Before is the entry for the same path, nil when there is none.
	Before *Entry
	// LockFile is where Trust records the entry.
	LockFile string
}

// Known reports whether the very same binary is trusted already.
func (i Inspected) Known() bool { return i.Before != nil && i.Before.SHA256 == i.SHA256 }

// Inspect asks a binary who it is. The operator names it and so wants it
// executed, whatever the lock file says. It must keep the rules for a plugin's
// file and speak this engine's contract.
func (h *Host) Inspect(ctx context.Context, path string) (Inspected, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return Inspected{}, fmt.Errorf("plugin %s: %w", path, err)
	}
	lock, err := readLockFile(lockFilePath(h.options.Getenv))
	if err != nil {
		return Inspected{}, err
	}
	ref, _ := refOfBinary(filepath.Base(absolute)) // only names it in errors
	im, err := h.finder.openImage(candidate{ref: ref, path: absolute, origin: FromFlag})
	if err != nil {
		return Inspected{}, err
	}
	defer im.Close()
	result := Inspected{Path: im.resolved, LockFile: lock.path}
	if result.SHA256, err = im.digest(ctx); err != nil {
		return Inspected{}, err
	}
	if result.Info, err = h.identify(ctx, im, &lockFile{}); err != nil {
		return Inspected{}, err
	}
	if err := checkContract(im, result.Info); err != nil {
		return Inspected{}, err
	}
	for _, name := range result.Info.NeedsEnv {
		if err := grantable(name); err != nil {
			return Inspected{}, fmt.Errorf("plugin %s asks for what it cannot have: %w", im.path, err)
		}
	}
	result.Before = lock.find(func(e Entry) bool { return e.Path == im.resolved })
	return result, nil
}

// Trust records that the operator trusts an inspected binary, and grants it the
// environment variables that it asks for.
func (h *Host) Trust(ctx context.Context, i Inspected) error {
	return addEntry(ctx, i.LockFile, newEntry(i.Info, i.Path, i.SHA256, time.Now()))
}
