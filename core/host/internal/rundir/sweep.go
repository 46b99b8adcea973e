package rundir

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// maxSweep bounds the names that one sweep looks at.
const maxSweep = 10_000

// Sweep removes the directories below base whose owners are dead. Several
// engines may sweep at the same time.
func Sweep(base string) error {
	dir, err := os.Open(base)
	if err != nil {
		return fmt.Errorf("sweep run directories: %w", err)
	}
	names, _ := dir.Readdirnames(maxSweep) // what cannot be read now is swept next time
	dir.Close()
	var faults []error
	for _, name := range names {
		if run, ok := strings.CutSuffix(name, lockSuffix); ok && len(run) == nameLength {
			faults = append(faults, sweepOne(filepath.Join(base, run)))
		}
	}
	if err := errors.Join(faults...); err != nil {
		return fmt.Errorf("sweep run directories: %w", err)
	}
	return nil
}

func sweepOne(path string) error {
	lock, err := acquire(path + lockSuffix)
	if err != nil || lock == nil {
		return err
	}
	defer release(lock)
	return os.RemoveAll(path)
}
