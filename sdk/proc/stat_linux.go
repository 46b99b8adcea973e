package proc

import (
	"bytes"
	"os"
	"strconv"
)

// procStat is what /proc/PID/stat says about a process.
type procStat struct {
	state         byte
	parent, group int
}

// eachProcess calls visit for every process until that says false.
func eachProcess(visit func(pid int, stat procStat) bool) {
	dir, err := os.Open("/proc")
	if err != nil {
		return
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		line, err := os.ReadFile("/proc/" + name + "/stat")
		if err != nil {
			continue // gone by now
		}
		if stat, ok := parseStat(line); ok && !visit(pid, stat) {
			return
		}
	}
}

// parseStat reads "id (name) state parent group ...". The name may hold
// anything, so the fields are counted after its bracket.
func parseStat(line []byte) (procStat, bool) {
	fields := bytes.Fields(line[bytes.LastIndexByte(line, ')')+1:])
	if len(fields) < 3 {
		return procStat{}, false
	}
	parent, parentErr := strconv.Atoi(string(fields[1]))
	group, groupErr := strconv.Atoi(string(fields[2]))
	return procStat{state: fields[0][0], parent: parent, group: group}, parentErr == nil && groupErr == nil
}
