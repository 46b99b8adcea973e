package report

import (
	"errors"
	"io"
	"sync"
	"time"
)

const (
	// maxFeed is how many bytes wait for a reader that does not keep up.
	maxFeed = 64 << 20
	// feedPatience is how long Close waits for a reader that takes nothing.
	feedPatience = 5 * time.Second
)

// errStalled: nobody reads what is written.
var errStalled = errors.New("the output is not read")

// feed writes in the background, in order, so that a reader who has stopped
// reading holds nobody up: what does not fit is given up, with all that follows.
// Write may be called from any goroutine and never fails.
type feed struct {
	w io.Writer

	mu     sync.Mutex
	wake   *sync.Cond
	queue  [][]byte
	size   int
	begun  bool
	closed bool
	taken  uint64 // writes that ended
	err    error
	done   chan struct{}
}

func newFeed(w io.Writer) *feed {
	f := &feed{w: w, done: make(chan struct{})}
	f.wake = sync.NewCond(&f.mu)
	return f
}

func (f *feed) Write(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.closed && f.err == nil: // whoever comes late writes for themselves
		return f.w.Write(p)
	case f.err != nil:
		return len(p), nil
	case f.size+len(p) > maxFeed:
		f.err, f.queue = errStalled, nil
		return len(p), nil
	case !f.begun:
		f.begun = true
		go f.run()
	}
	f.queue = append(f.queue, append([]byte(nil), p...))
	f.size += len(p)
	f.wake.Signal()
	return len(p), nil
}

// run writes until Close has been called and nothing is left, or a write fails.
func (f *feed) run() {
	defer close(f.done)
	f.mu.Lock()
	defer f.mu.Unlock()
	for {
		for len(f.queue) == 0 && !f.closed && f.err == nil {
			f.wake.Wait()
		}
		if len(f.queue) == 0 || f.err != nil {
			return
		}
		p := f.queue[0]
		f.queue = f.queue[1:]
		f.mu.Unlock()
		_, err := f.w.Write(p)
		f.mu.Lock()
		f.taken++
		f.size -= len(p)
		if err != nil && f.err == nil {
			f.err = err
		}
	}
}

// Close waits until everything is written, for as long as somebody reads, and
// gives the first error.
func (f *feed) Close() error {
	f.mu.Lock()
	f.closed = true
	f.wake.Signal()
	begun, before := f.begun, f.taken
	f.mu.Unlock()
	for begun {
		select {
		case <-f.done:
			begun = false
		case <-time.After(feedPatience):
			f.mu.Lock()
			if f.taken == before && f.err == nil {
				f.err = errStalled
			}
			stuck := f.taken == before
			before = f.taken
			f.mu.Unlock()
			if stuck {
				begun = false
			}
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}
