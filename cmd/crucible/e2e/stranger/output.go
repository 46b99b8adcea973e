package main

import (
	"bufio"
	"bytes"
	"errors"
	"os"
	"os/exec"
	"sync"
	"time"

	"google.golang.org/grpc"

	transportv1 "github.com/crucible-engine/crucible/sdk/proto/crucible/transport/v1"
)

// readRest is how long the outputs may stay open when the agent's group is gone:
// a process that has left the group may hold them.
const readRest = time.Second

// events sends the messages of a turn, one at a time, until one cannot be sent.
type events struct {
	stream grpc.ServerStreamingServer[transportv1.RunTurnResponse]

	mu  sync.Mutex
	err error
}

func (e *events) send(event *transportv1.RunTurnResponse) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.err == nil {
		e.err = e.stream.Send(event)
	}
}

// outputs are an agent's stdout and stderr.
type outputs struct {
	cmd     *exec.Cmd
	read    [2]*os.File
	written [2]*os.File
	readers sync.WaitGroup
}

// listenTo gives a command its outputs, before it is started.
func listenTo(cmd *exec.Cmd) (*outputs, error) {
	o := &outputs{cmd: cmd}
	for i := range o.read {
		var err error
		if o.read[i], o.written[i], err = os.Pipe(); err != nil {
			o.close()
			return nil, err
		}
	}
	cmd.Stdout, cmd.Stderr = o.written[0], o.written[1]
	return o, nil
}

// begin sends what is printed, once the command has been started.
func (o *outputs) begin(to *events) {
	for i, stream := range []transportv1.Stream{transportv1.Stream_STREAM_STDOUT, transportv1.Stream_STREAM_STDERR} {
		_ = o.written[i].Close() // the command has its own
		o.readers.Go(func() { lines(o.read[i], stream, to) })
	}
}

// wait returns when all that was printed has been sent.
func (o *outputs) wait() {
	for _, r := range o.read {
		_ = r.SetReadDeadline(time.Now().Add(readRest))
	}
	o.readers.Wait()
}

func (o *outputs) close() {
	for _, f := range append(o.read[:], o.written[:]...) {
		_ = f.Close() // closed already, or not to be written to any more
	}
}

// lines sends every line of a stream. It keeps no more of one than may be sent.
func lines(from *os.File, stream transportv1.Stream, to *events) {
	buffered := bufio.NewReader(from)
	var line []byte
	for cut := false; ; {
		part, err := buffered.ReadSlice('\n')
		text := bytes.TrimSuffix(part, []byte("\n"))
		room := maxLine - len(line)
		cut = cut || len(text) > room
		line = append(line, text[:min(len(text), room)]...)
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err == nil || len(line) > 0 {
			to.send(&transportv1.RunTurnResponse{Event: &transportv1.RunTurnResponse_Output{Output: &transportv1.Output{
				Stream: stream, Line: bytes.Clone(line), Truncated: cut,
			}}})
		}
		if err != nil {
			return
		}
		line, cut = line[:0], false
	}
}
