package conformance

import (
	"bytes"
	"errors"
	"fmt"
	"sync"
	"time"
)

// maxOutput bounds what is kept of a stream.
const maxOutput = 8 << 20

// output keeps what a process printed. It is safe for concurrent use.
type output struct {
	mu    sync.Mutex
	kept  bytes.Buffer
	first chan struct{} // closed when the first line is whole
	whole bool
}

func newOutput() *output { return &output{first: make(chan struct{})} }

// Write takes the next bytes. It never fails.
func (o *output) Write(data []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if room := maxOutput - o.kept.Len(); room > 0 {
		o.kept.Write(data[:min(len(data), room)])
	}
	if !o.whole && bytes.IndexByte(o.kept.Bytes(), '\n') >= 0 {
		o.whole = true
		close(o.first)
	}
	return len(data), nil
}

// String is all that was kept.
func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.kept.String()
}

// firstLine waits for the first line, which is not to come later than limit nor
// after the end of the process.
func (o *output) firstLine(ended <-chan struct{}, limit time.Duration) (string, error) {
	wait := time.NewTimer(limit)
	defer wait.Stop()
	var fault error
	select {
	case <-o.first:
	case <-ended:
		fault = errors.New("the process ended without a handshake")
	case <-wait.C:
		fault = fmt.Errorf("no handshake within %v", limit)
	}
	line, _, whole := bytes.Cut([]byte(o.String()), []byte("\n"))
	if whole {
		return string(line), nil
	}
	return "", fault
}
