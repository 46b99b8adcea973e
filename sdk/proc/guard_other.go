//go:build unix && !linux

package proc

import (
	"errors"
	"os"
)

// namelessFile is a temporary file that is removed at once.
func namelessFile() (*os.File, error) {
	f, err := os.CreateTemp("", "groups-")
	if err != nil {
		return nil, err
	}
	if err := os.Remove(f.Name()); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
