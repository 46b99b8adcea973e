package manifest

import (
	"context"
	"errors"

	"github.com/crucible-engine/crucible/core/diag"
)

var errTODO = errors.New("manifest loading is being written")

// Load reads and checks the manifest at path in the working tree. Faults of the
// file come as a diag.List.
func Load(path string) (*Manifest, error) { return nil, errTODO }

// Parse checks a manifest's text as if it stood at path.
func Parse(path string, text []byte) (*Manifest, diag.List) { return nil, nil }

// Frozen loads the manifest at path for a workspace that was set up before (C-MANIFEST).
func Frozen(ctx context.Context, path string, record Record, read func(ctx context.Context, path string) ([]byte, error)) (*Manifest, error) {
	return nil, errTODO
}
