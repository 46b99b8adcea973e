//go:build unix

package proc

import (
	"fmt"
	"os"
	"sync"
	"syscall"
	"time"
)

// guardScript keeps a list of groups, told to it line by line ("+ 17", "- 17"),
// and kills what is left on it when its input ends, which it does when this
// program is gone, however that came about. It uses nothing but the shell, so
// that it is small and quick to start, and no signal but SIGKILL moves it.
const guardScript = `trap '' HUP INT QUIT TERM
groups=' '
while read -r op id; do
	case $op in
	+) groups="$groups$id " ;;
	-) case $groups in *" $id "*) groups="${groups%%" $id "*} ${groups#*" $id "}" ;; esac ;;
	esac
done
for id in $groups; do kill -s KILL -- "-$id" 2>/dev/null; done
`

// guardPatience bounds the wait for a guard that does not read.
const guardPatience = time.Second

// guard is the process that outlives this program and takes its groups along.
type guard struct {
	mu sync.Mutex
	in *os.File // nil when the guard could not be started
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
	r, w, err := os.Pipe()
	if err != nil {
		return &guard{}
	}
	defer r.Close()
	process, err := os.StartProcess("/bin/sh", []string{"sh", "-c", guardScript, "guard"}, &os.ProcAttr{
		Dir: "/", Env: []string{}, Files: []*os.File{r, null, null}, Sys: &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		w.Close()
		return &guard{}
	}
	// It ends when this program does: there is nothing to wait for.
	_ = process.Release()
	return &guard{in: w}
}

func (g *guard) add(group int)    { g.tell('+', group) }
func (g *guard) remove(group int) { g.tell('-', group) }

// tell writes one line. A guard that somebody killed or stopped is missed only
// when this program is killed as well, so that is no fault of the child at hand.
func (g *guard) tell(op rune, group int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.in == nil {
		return
	}
	_ = g.in.SetWriteDeadline(time.Now().Add(guardPatience))
	if _, err := fmt.Fprintf(g.in, "%c %d\n", op, group); err != nil {
		g.in.Close()
		g.in = nil
	}
}
