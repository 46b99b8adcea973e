package worldrpc

import (
	"errors"
	"io"

	"google.golang.org/grpc"

	"github.com/crucible-engine/crucible/sdk/contract"
	"github.com/crucible-engine/crucible/sdk/plugin/pluginrpc"
)

// chunks is a writer that sends what is written to it in messages of at most
// contract.MaxChunk bytes, and drops what comes after max bytes (0: nothing).
type chunks struct {
	send func([]byte) error
	max  int64

	buffer []byte
	sent   int64
	cut    bool
}

// Write takes the next bytes. It fails when nobody receives any more.
func (c *chunks) Write(data []byte) (int, error) {
	n := len(data)
	if c.max > 0 {
		if room := c.max - c.sent - int64(len(c.buffer)); int64(n) > room {
			data, c.cut = data[:room], true
		}
	}
	for len(data) > 0 {
		taken := min(len(data), contract.MaxChunk-len(c.buffer))
		c.buffer = append(c.buffer, data[:taken]...)
		data = data[taken:]
		if len(c.buffer) == contract.MaxChunk {
			if err := c.flush(nil); err != nil {
				return n - len(data), err
			}
		}
	}
	return n, nil
}

// flush sends what is left, unless the writing ended with an error.
func (c *chunks) flush(err error) error {
	if err != nil || len(c.buffer) == 0 {
		return err
	}
	if err := c.send(c.buffer); err != nil {
		return err
	}
	c.sent += int64(len(c.buffer))
	// A message that was sent must not be written to again.
	c.buffer = nil
	return nil
}

// receiver takes one message of a stream. It returns true when that was the
// one that must come last.
type receiver[M any] func(*M) (last bool, err error)

// receive reads a stream whose last message says how the call went.
func receive[M any](op string, stream grpc.ServerStreamingClient[M], take receiver[M]) error {
	complete := false
	for {
		msg, err := stream.Recv()
		switch {
		case errors.Is(err, io.EOF) && complete:
			return nil
		case errors.Is(err, io.EOF):
			return fault(contract.KindUnavailable, op, "", "the stream ended without an answer")
		case err != nil:
			return err
		case complete:
			return pluginrpc.Abandoned{Err: fault(contract.KindInternal, op, "", "the plugin sent more after the answer")}
		}
		if complete, err = take(msg); err != nil {
			return pluginrpc.Abandoned{Err: err}
		}
	}
}

// write passes a chunk on, holding the limits on it and on all of them.
func write(op string, w io.Writer, chunk []byte, total *int64, max int64) error {
	*total += int64(len(chunk))
	switch {
	case len(chunk) > contract.MaxChunk:
		return fault(contract.KindInternal, op, "chunk", "the plugin sent %d bytes; the limit is %d", len(chunk), contract.MaxChunk)
	case max > 0 && *total > max:
		return fault(contract.KindInternal, op, "chunk", "the plugin sent more than the %d bytes that were wanted", max)
	}
	_, err := w.Write(chunk)
	return err
}
