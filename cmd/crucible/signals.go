package main

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
)

// interrupts turns the first signal into an orderly stop. The second one ends
// this program on the spot: everything it started dies with it.
type interrupts struct {
	// stop is closed at the first signal.
	stop chan struct{}
	// first is the number of the first signal, 0 before it.
	first atomic.Int32
	// done ends the goroutine that listens.
	done    chan struct{}
	stopped chan struct{}
	signals chan os.Signal
}

// watchInterrupts listens until close.
func watchInterrupts(stderr io.Writer) *interrupts {
	in := &interrupts{
		stop: make(chan struct{}), done: make(chan struct{}), stopped: make(chan struct{}), signals: make(chan os.Signal, 4),
	}
	signal.Notify(in.signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		defer close(in.stopped)
		for {
			select {
			case <-in.done:
				return
			case s := <-in.signals:
				if in.first.Load() != 0 {
					os.Exit(in.code())
				}
				in.first.Store(int32(s.(syscall.Signal)))
				close(in.stop)
				fmt.Fprintf(stderr, "\ncrucible: %s: stopping in order; once more to leave at once\n", s)
			}
		}
	}()
	return in
}

func (in *interrupts) close() {
	signal.Stop(in.signals)
	close(in.done)
	<-in.stopped
}

// code is the exit code that tells of the first signal, 0 when there was none.
func (in *interrupts) code() int {
	switch syscall.Signal(in.first.Load()) {
	case syscall.SIGINT:
		return exitInterrupt
	case syscall.SIGTERM:
		return exitTerminate
	default:
		return 0
	}
}
