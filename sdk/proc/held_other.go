//go:build unix && !linux

package proc

import "os"

// startListed starts a process and puts it on the guard's list. Between the two
// lie some microseconds, or more on a busy machine.
func startListed(path string, args []string, attr *os.ProcAttr, listed func(pid int)) (*os.Process, error) {
	process, err := startProcess(path, args, attr)
	if err != nil {
		return nil, err
	}
	listed(process.Pid)
	return process, nil
}
