package proc

import (
	"fmt"
	"sync"
)

// Capture keeps the beginning and the end of a stream and counts the rest. It
// is a writer for StdoutTo or StderrTo and is safe for concurrent use.
type Capture struct {
	head, tail int

	mu    sync.Mutex
	first []byte
	last  []byte // a ring of at most tail bytes
	next  int    // where the ring goes on, once it is full
	total int64
}

// NewCapture keeps the first head and the last tail bytes. Either may be zero.
func NewCapture(head, tail int) *Capture {
	return &Capture{head: max(head, 0), tail: max(tail, 0)}
}

// Write takes the next bytes of the stream. It never fails.
func (c *Capture) Write(data []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := len(data)
	c.total += int64(n)
	if room := c.head - len(c.first); room > 0 {
		taken := min(room, len(data))
		c.first = append(c.first, data[:taken]...)
		data = data[taken:]
	}
	c.keepLast(data)
	return n, nil
}

func (c *Capture) keepLast(data []byte) {
	if len(data) > c.tail {
		data = data[len(data)-c.tail:]
	}
	if room := c.tail - len(c.last); room > 0 {
		taken := min(room, len(data))
		c.last = append(c.last, data[:taken]...)
		data = data[taken:]
	}
	for len(data) > 0 {
		n := copy(c.last[c.next:], data)
		data = data[n:]
		c.next = (c.next + n) % c.tail
	}
}

// Line takes one line, for Stdout or Stderr.
func (c *Capture) Line(line Line) { _, _ = c.Write([]byte(line.Text + "\n")) }

// Total is how many bytes came.
func (c *Capture) Total() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.total
}

// Omitted is how many bytes were dropped between the beginning and the end.
func (c *Capture) Omitted() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.omitted()
}

func (c *Capture) omitted() int64 { return c.total - int64(len(c.first)+len(c.last)) }

// Bytes is what was kept, without a mark where something is missing.
func (c *Capture) Bytes() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.join("")
}

// String is what was kept, with a mark that says how much is missing.
func (c *Capture) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n := c.omitted(); n > 0 {
		return string(c.join(fmt.Sprintf("[%d bytes omitted]", n)))
	}
	return string(c.join(""))
}

func (c *Capture) join(mark string) []byte {
	out := make([]byte, 0, len(c.first)+len(mark)+len(c.last))
	out = append(out, c.first...)
	out = append(out, mark...)
	out = append(out, c.last[c.next:]...)
	return append(out, c.last[:c.next]...)
}
