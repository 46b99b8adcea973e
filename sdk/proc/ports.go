package proc

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"syscall"
	"time"
)

// ports are the three streams of a child: what it gets and what we keep.
type ports struct {
	files  []*os.File // the child's descriptors, in order
	theirs []*os.File // those of them that we opened

	input  *os.File // our end of its stdin, nil without a pipe
	output [2]*os.File

	copying sync.WaitGroup // the readers of output
	feeding sync.WaitGroup // the writer of input
}

// openPorts makes the pipes that the command needs. The result must be closed
// even when there is an error.
func openPorts(c Command) (*ports, error) {
	p := &ports{}
	if err := p.openInput(c.Stdin); err != nil {
		return p, &StartError{Path: c.Path, Err: err}
	}
	wanted := [2]bool{c.Stdout != nil || c.StdoutTo != nil, c.Stderr != nil || c.StderrTo != nil}
	for i, to := range []io.Writer{c.StdoutTo, c.StderrTo} {
		if err := p.openOutput(i, to, wanted[i]); err != nil {
			return p, &StartError{Path: c.Path, Err: err}
		}
	}
	p.files = append(p.files, c.ExtraFiles...)
	return p, nil
}

func (p *ports) openInput(from io.Reader) error {
	if file, ok := from.(*os.File); ok {
		p.files = append(p.files, file)
		return nil
	}
	if from == nil {
		return p.openNull(os.O_RDONLY)
	}
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	p.input = w
	p.give(r)
	return nil
}

func (p *ports) openOutput(i int, to io.Writer, wanted bool) error {
	if file, ok := to.(*os.File); ok {
		p.files = append(p.files, file)
		return nil
	}
	if !wanted {
		return p.openNull(os.O_WRONLY)
	}
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	p.output[i] = r
	p.give(w)
	return nil
}

func (p *ports) openNull(flag int) error {
	file, err := os.OpenFile(os.DevNull, flag, 0)
	if err != nil {
		return err
	}
	p.give(file)
	return nil
}

func (p *ports) give(file *os.File) {
	p.files = append(p.files, file)
	p.theirs = append(p.theirs, file)
}

// run starts the copying. report is told of every failure that is the caller's.
func (p *ports) run(c Command, report func(error)) {
	var calls sync.Mutex
	names := [2]string{"stdout", "stderr"}
	writers := [2]io.Writer{c.StdoutTo, c.StderrTo}
	for i, emit := range []func(Line){c.Stdout, c.Stderr} {
		if p.output[i] == nil {
			continue
		}
		to, flush := writers[i], func() {}
		if to == nil {
			lines := newSplitter(c.MaxLine, &calls, emit)
			to, flush = lines, lines.flush
		}
		p.copying.Go(func() {
			defer p.output[i].Close()
			if err := pump(to, p.output[i]); err != nil {
				report(fmt.Errorf("%s of %s: %w", names[i], c.Path, err))
			}
			flush()
		})
	}
	if p.input == nil {
		return
	}
	p.feeding.Go(func() {
		_, err := io.Copy(p.input, c.Stdin)
		p.input.Close()
		// A child need not read its input to the end.
		if err != nil && !errors.Is(err, syscall.EPIPE) && !errors.Is(err, os.ErrClosed) {
			report(fmt.Errorf("stdin of %s: %w", c.Path, err))
		}
	})
}

// pump copies from a pipe until its end, or until its deadline has passed and
// what it then holds has been copied too.
func pump(to io.Writer, from *os.File) error {
	buf := make([]byte, 16<<10)
	for {
		n, err := from.Read(buf)
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return drain(to, from, buf)
		}
		if n > 0 {
			if _, err := to.Write(buf[:n]); err != nil {
				return err
			}
		}
		if err != nil {
			return nil // the end, or the pipe was closed by cut
		}
	}
}

// await waits for the end of the output. After limit only what the pipes hold
// at that moment is still taken, however long the callbacks need for it.
func (p *ports) await(limit time.Duration) {
	timer := time.AfterFunc(limit, func() {
		for _, r := range p.output {
			if r != nil {
				_ = r.SetReadDeadline(time.Unix(1, 0)) // closed already: nothing to end
			}
		}
	})
	p.copying.Wait()
	timer.Stop()
}

// cut ends the input. A reader of the caller that does not return is left to
// itself after a while.
func (p *ports) cut() {
	if p.input == nil {
		return
	}
	p.input.Close()
	fed := make(chan struct{})
	go func() { p.feeding.Wait(); close(fed) }()
	timer := time.NewTimer(drainTime)
	defer timer.Stop()
	select {
	case <-fed:
	case <-timer.C:
	}
}

func (p *ports) closeChildEnds() {
	for _, file := range p.theirs {
		file.Close()
	}
	p.theirs = nil
}

func (p *ports) close() {
	p.closeChildEnds()
	for _, file := range []*os.File{p.input, p.output[0], p.output[1]} {
		if file != nil {
			file.Close()
		}
	}
}
