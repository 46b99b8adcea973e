//go:build unix

package proc

import (
	"fmt"
	"os"
	"slices"
	"sync"
	"syscall"
)

// guardScript sleeps until its input ends, which it does when this program is
// gone, however that came about, and then kills every group on the list that
// this program left behind. It uses nothing but the shell, so that it is small
// and quick to start, and no signal but SIGKILL moves it.
const guardScript = `trap '' HUP INT QUIT TERM
read -r nothing
while read -r id; do
	case $id in [1-9]*) kill -s KILL -- "-$id" 2>/dev/null ;; esac
done <&3
`

// guard is the process that outlives this program and takes its groups along.
// The list is a file without a name, so that keeping it wakes nobody up.
type guard struct {
	alive *os.File // its end is this program's
	list  *os.File // nil when the guard could not be started
	pid   int

	// starts is held for reading while a child exists that is not on the list.
	starts sync.RWMutex

	mu    sync.Mutex
	slots []slot // the groups by their place in the list
}

// slot is a place in the list.
type slot struct {
	group   int // 0 for a free one
	lasting bool
}

// theGuard is started with the first child. There is one for the whole program,
// as the death that it waits for is the whole program's.
var theGuard = sync.OnceValue(startGuard)

func startGuard() *guard {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return &guard{}
	}
	defer null.Close()
	list, err := namelessFile()
	if err != nil {
		return &guard{}
	}
	r, w, err := os.Pipe()
	if err != nil {
		list.Close()
		return &guard{}
	}
	defer r.Close()
	process, err := os.StartProcess("/bin/sh", []string{"sh", "-c", guardScript, "guard"}, &os.ProcAttr{
		Dir: "/", Env: []string{}, Files: []*os.File{r, null, null, list}, Sys: &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		w.Close()
		list.Close()
		return &guard{}
	}
	g := &guard{alive: w, list: list, pid: process.Pid}
	// It ends when this program does: there is nothing to wait for.
	_ = process.Release()
	return g
}

// add puts a group on the list.
func (g *guard) add(group int, lasting bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	i := slices.Index(g.slots, slot{})
	if i < 0 {
		i = len(g.slots)
		g.slots = append(g.slots, slot{})
	}
	g.put(i, slot{group, lasting})
}

// remove takes a group off the list.
func (g *guard) remove(group int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if i := slices.IndexFunc(g.slots, func(s slot) bool { return s.group == group }); i >= 0 {
		g.put(i, slot{})
	}
}

// busy reports whether a group that is not lasting is on the list.
func (g *guard) busy() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.ContainsFunc(g.slots, func(s slot) bool { return s.group != 0 && !s.lasting })
}

// knows reports whether a process leads a group on the list.
func (g *guard) knows(pid int) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return pid == g.pid || slices.ContainsFunc(g.slots, func(s slot) bool { return s.group == pid })
}

// put writes one line of the list, each as long as the others. Nothing but a
// full disk can fail, and then the guard knows one group less.
func (g *guard) put(i int, s slot) {
	g.slots[i] = s
	if g.list == nil {
		return
	}
	const width = 11 // the longest process id and a line end
	line := fmt.Appendf(nil, "%-*d\n", width-1, s.group)
	_, _ = g.list.WriteAt(line, int64(i*width))
}
