package proc

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync"
)

// guardScript keeps a list of groups, changed by lines "+ID" and "-ID", and
// kills those on it when its input ends.
const guardScript = `trap '' HUP INT QUIT TERM
list=
while read -r entry; do
	case $entry in
	+*) list="$list ${entry#+}" ;;
	-*)
		rest=
		for id in $list; do [ "$id" = "${entry#-}" ] || rest="$rest $id"; done
		list=$rest
		;;
	esac
done
for id in $list; do kill -s KILL -- "-$id"; done 2>/dev/null
`

// Guard is a small process that kills the groups of guarded children should
// this program die without stopping them, by SIGKILL or a crash. The death
// signal reaches only a child itself; a guard reaches what the child started,
// too. One guard serves all children of a program. It is safe for concurrent
// use.
type Guard struct {
	process *Process

	mu    sync.Mutex
	input io.WriteCloser
}

// NewGuard starts a guard. Close ends it.
func NewGuard() (*Guard, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("start guard: %w", err)
	}
	defer r.Close()
	command := Shell(guardScript)
	command.Dir, command.Stdin, command.outlives = "/", r, true
	// A guard has no context: it lives until its input ends, however that happens.
	process, err := Start(context.Background(), command)
	if err != nil {
		w.Close()
		return nil, fmt.Errorf("start guard: %w", err)
	}
	return &Guard{process: process, input: w}, nil
}

// Close ends the guard. Children that it still guards are killed.
func (g *Guard) Close() error {
	g.mu.Lock()
	err := g.input.Close()
	g.mu.Unlock()
	_, waitErr := g.process.Wait()
	if err != nil {
		return fmt.Errorf("close guard: %w", err)
	}
	return waitErr
}

// add puts a group on the list. A guard that somebody killed guards nothing; the
// children run all the same.
func (g *Guard) add(group int) { g.tell("+", group) }

// remove takes a group off the list, before its id can become another's.
func (g *Guard) remove(group int) { g.tell("-", group) }

func (g *Guard) tell(what string, group int) {
	if g == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	_, _ = fmt.Fprintf(g.input, "%s%d\n", what, group)
}
