package proc

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Adopt makes this program the parent of whatever its children leave behind, so
// that a descendant that left its group (setsid, a double fork) is killed with
// the others when the child has ended: at once when no other child runs that is
// not Lasting, else when the last such one has ended, as nothing says whose it
// was. It is for programs that start all their processes by this package from then
// on: what others start is taken for left behind. The error is the system's;
// without adoption everything else holds.
func Adopt() error {
	adopts().foreign = children()
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("become the parent of orphans: %w", err)
	}
	adopts().on.Store(true)
	go theGuard() // it will be wanted, and takes a while
	return nil
}

// adoption is what Adopt has begun. Like the guard it is the program's.
type adoption struct {
	on atomic.Bool
	// foreign are the children that there were before: a shell that executed this
	// program may have had some.
	foreign []int
}

var adopts = sync.OnceValue(func() *adoption { return &adoption{} })

// sweepOrphans kills and reaps all that children have left behind, unless some
// still run. It takes no longer than settleTime.
func (g *guard) sweepOrphans() {
	if !adopts().on.Load() {
		return
	}
	g.starts.Lock() // so that nothing that is about to be listed looks like an orphan
	defer g.starts.Unlock()
	if g.busy() {
		return
	}
	poll(time.Now().Add(settleTime), func() bool {
		orphans := g.orphans()
		if len(orphans) == 0 {
			return true
		}
		killFamilies(orphans)
		for _, pid := range orphans {
			_, _ = syscall.Wait4(pid, nil, syscall.WNOHANG, nil)
		}
		return false
	})
}

// orphans are the children of this program that it did not start.
func (g *guard) orphans() []int {
	return slices.DeleteFunc(children(), func(pid int) bool { return g.knows(pid) || slices.Contains(adopts().foreign, pid) })
}

// children are the children of this program. The kernel keeps one list a thread;
// one without such lists gives none.
func children() []int {
	threads, err := os.Open("/proc/self/task")
	if err != nil {
		return nil
	}
	defer threads.Close()
	names, _ := threads.Readdirnames(-1)
	var found []int
	for _, name := range names {
		list, _ := os.ReadFile("/proc/self/task/" + name + "/children")
		for _, field := range bytes.Fields(list) {
			if pid, err := strconv.Atoi(string(field)); err == nil {
				found = append(found, pid)
			}
		}
	}
	return found
}

// killFamilies kills the processes and all their descendants. They are stopped
// first, again and again until no new one appears: what multiplies faster than
// it is killed would live on.
func killFamilies(roots []int) {
	family := map[int]bool{}
	for _, pid := range roots {
		family[pid] = true
		_ = syscall.Kill(pid, syscall.SIGSTOP)
	}
	for grown := true; grown; {
		grown = false
		for pid, parent := range parents() {
			if family[parent] && !family[pid] {
				family[pid], grown = true, true
				_ = syscall.Kill(pid, syscall.SIGSTOP)
			}
		}
	}
	for pid := range family {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

// parents is the parent of every process.
func parents() map[int]int {
	all := map[int]int{}
	eachProcess(func(pid int, stat procStat) bool {
		all[pid] = stat.parent
		return true
	})
	return all
}
