package proc

import (
	"os"

	"golang.org/x/sys/unix"
)

// namelessFile is a file in memory.
func namelessFile() (*os.File, error) {
	fd, err := unix.MemfdCreate("groups", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), "groups"), nil
}
