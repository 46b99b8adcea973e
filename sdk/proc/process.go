package proc

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"syscall"
	"time"
)

// cause is why a child is being stopped.
type cause int

const (
	none cause = iota
	timedOut
	canceled
	broken // a writer of the caller failed
	killed // by Kill
)

// Process is a child that was started. All methods are safe for concurrent use.
type Process struct {
	command Command
	child   *child
	ports   *ports
	done    chan struct{} // closed by supervise

	mu        sync.Mutex
	ended     bool // the child has ended, its group may live
	reaped    bool // the process id is free for others
	stopping  cause
	killAt    time.Time // when a stopping group gets SIGKILL
	killTimer *time.Timer
	errs      []error
	exit      Exit
}

// Start starts the command. The error is a *StartError when the system refused,
// and wraps the context's when that had ended before. When ctx ends or Timeout
// passes, the group gets SIGTERM, after Grace SIGKILL. Whoever starts a process
// must call Wait.
func Start(ctx context.Context, command Command) (*Process, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("start %s: %w", command.Path, err)
	}
	p := &Process{command: command.withDefaults(), done: make(chan struct{})}
	started := make(chan error, 1)
	go p.supervise(ctx, started)
	if err := <-started; err != nil {
		return nil, err
	}
	return p, nil
}

// Run starts the command and waits for it.
func Run(ctx context.Context, command Command) (Exit, error) {
	p, err := Start(ctx, command)
	if err != nil {
		return Exit{Code: -1}, err
	}
	return p.Wait()
}

// Wait blocks until the child has ended, its output has been delivered and its
// group is gone. An exit status other than 0 and a stop are no error; a failed
// read of Stdin or write of output is. Output that a descendant outside the
// group holds open is given up 300 ms after the child ended. Every call gives
// the same answer.
func (p *Process) Wait() (Exit, error) {
	<-p.done
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.exit, errors.Join(p.errs...)
}

// Done is closed when Wait would not block.
func (p *Process) Done() <-chan struct{} { return p.done }

// Pid is the process id of the child, which is also the id of its group.
func (p *Process) Pid() int { return p.child.pid }

// Kill sends SIGKILL to the group, without a grace. It may come late or twice.
func (p *Process) Kill() { p.stop(killed, -1) }

// supervise owns the child from start to end. Linux sends the death signal when
// the thread that started the child ends, so this goroutine keeps its thread
// until the child is gone.
func (p *Process) supervise(ctx context.Context, started chan<- error) {
	runtime.LockOSThread()
	ports, err := openPorts(p.command)
	if err == nil {
		p.child, err = startChild(p.command, ports.files)
		ports.closeChildEnds()
	}
	if err != nil {
		ports.close()
		runtime.UnlockOSThread()
		started <- err
		return
	}
	p.ports = ports
	ports.run(p.command, func(err error) { p.fail(err) })
	forget := p.watch(ctx)
	started <- nil

	p.child.await()
	runtime.UnlockOSThread()
	forget()
	p.finish()
	close(p.done)
}

// watch stops the child when the context ends or the time is over. The function
// it gives back ends the watch.
func (p *Process) watch(ctx context.Context) func() {
	unhook := context.AfterFunc(ctx, func() {
		why := canceled
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			why = timedOut
		}
		p.stop(why, p.command.Grace)
	})
	if p.command.Timeout <= 0 {
		return func() { unhook() }
	}
	timer := time.AfterFunc(p.command.Timeout, func() { p.stop(timedOut, p.command.Grace) })
	return func() { unhook(); timer.Stop() }
}

// fail records what went wrong with the caller's readers and writers. Without
// them a child is of no use.
func (p *Process) fail(err error) {
	p.mu.Lock()
	if !p.reaped { // a reader that was left to itself may come late
		p.errs = append(p.errs, err)
	}
	p.mu.Unlock()
	p.stop(broken, p.command.Grace)
}

// stop begins the end of the group, once; a later SIGKILL overtakes.
func (p *Process) stop(why cause, grace time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.reaped {
		return
	}
	if p.stopping == none && !p.ended {
		p.stopping = why
	}
	switch {
	case grace <= 0:
		p.killAt = time.Now()
		signalGroup(p.child.pid, syscall.SIGKILL)
	case p.killTimer == nil && !p.ended:
		p.killAt = time.Now().Add(grace)
		p.killTimer = time.AfterFunc(grace, p.Kill)
		signalGroup(p.child.pid, syscall.SIGTERM)
		wakeGroup(p.child.pid)
	}
}

// finish runs when the child has ended: it lets the rest of the group end, takes
// what output is left, kills what still lives and frees the process id.
func (p *Process) finish() {
	p.mu.Lock()
	p.ended = true
	stopping, killAt := p.stopping, p.killAt
	p.mu.Unlock()

	if stopping != none {
		awaitGroup(p.child.pid, killAt)
	}
	p.ports.await(drainTime)
	p.mu.Lock()
	signalGroup(p.child.pid, syscall.SIGKILL)
	p.reaped = true // from here on nobody signals
	if p.killTimer != nil {
		p.killTimer.Stop()
	}
	p.mu.Unlock()
	p.ports.cut()

	state, err := p.child.bury()
	settleGroup(p.child.pid)
	sweepOrphans()
	p.mu.Lock()
	defer p.mu.Unlock()
	if err != nil {
		p.errs = append(p.errs, fmt.Errorf("wait for %s: %w", p.command.Path, err))
	}
	p.exit = exitOf(state, stopping)
}

func exitOf(state *os.ProcessState, why cause) Exit {
	exit := Exit{Code: -1, TimedOut: why == timedOut, Canceled: why == canceled}
	if state == nil {
		return exit
	}
	exit.Code = state.ExitCode()
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		exit.Signal = status.Signal()
	}
	return exit
}
