package host

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"

	goplugin "github.com/hashicorp/go-plugin"
)

const (
	maxHandshake = 16 << 10 // bytes of the handshake line; a certificate has about 1 KiB
	shownOutput  = 200      // bytes of stray output that an error shows
)

// protocolError says that a plugin speaks none of our protocol numbers.
type protocolError struct{ theirs int }

func (e *protocolError) Error() string { return fmt.Sprintf("protocol number %d", e.theirs) }

// handshake takes a plugin's stdout. The first line is the handshake: it is
// checked here, since go-plugin answers a bad one with a guess, and passed on.
// What follows is not ours to interpret; it goes to rest, so that the plugin
// never waits for a reader.
type handshake struct {
	protocols []int
	rest      io.Writer
	line      *io.PipeReader
	feed      *io.PipeWriter

	mu     sync.Mutex
	buffer []byte
	over   bool // the first line has been dealt with
	err    error
}

func newHandshake(protocols []int, rest io.Writer) *handshake {
	h := &handshake{protocols: protocols, rest: rest}
	h.line, h.feed = io.Pipe()
	return h
}

// Write takes the next bytes of stdout. It never fails.
func (h *handshake) Write(data []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	n := len(data)
	if !h.over {
		data = h.begin(data)
	}
	if len(data) > 0 {
		_, _ = h.rest.Write(data)
	}
	return n, nil
}

// begin collects the first line and gives back what follows it.
func (h *handshake) begin(data []byte) []byte {
	end := bytes.IndexByte(data, '\n')
	if end < 0 && len(h.buffer)+len(data) <= maxHandshake {
		h.buffer = append(h.buffer, data...)
		return nil
	}
	rest := data[len(data):]
	if end >= 0 {
		data, rest = data[:end], data[end+1:]
	}
	line := append(h.buffer, data[:min(len(data), maxHandshake)]...)
	h.settle(line, end >= 0)
	return rest
}

// close says that no more output comes.
func (h *handshake) close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.over {
		h.settle(h.buffer, len(h.buffer) > 0)
	}
}

// settle judges the first line and hands a good one to go-plugin.
func (h *handshake) settle(line []byte, whole bool) {
	h.over, h.buffer = true, nil
	missing := len(line) == 0 && !whole
	if !missing {
		h.err = checkHandshake(string(line), whole, h.protocols)
	}
	if !missing && h.err == nil {
		_, _ = h.feed.Write(append(line, '\n')) // go-plugin reads until the end
	}
	h.feed.Close()
}

// fault is what was wrong with the first line, nil when it was good or is
// missing.
func (h *handshake) fault() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.err
}

// checkHandshake reads CORE|PROTOCOL|NETWORK|ADDRESS|"grpc"|CERTIFICATE.
func checkHandshake(line string, whole bool, protocols []int) error {
	fields := strings.Split(strings.TrimSpace(line), "|")
	stray := fmt.Errorf("printed to stdout before the handshake: %q", line[:min(len(line), shownOutput)])
	if !whole || len(fields) < 4 {
		return stray
	}
	core, coreErr := strconv.Atoi(fields[0])
	protocol, protocolErr := strconv.Atoi(fields[1])
	switch {
	case coreErr != nil || protocolErr != nil:
		return stray
	case core != goplugin.CoreProtocolVersion:
		return fmt.Errorf("speaks version %d of the go-plugin handshake, this crucible speaks %d", core, goplugin.CoreProtocolVersion)
	case !slices.Contains(protocols, protocol):
		return &protocolError{protocol}
	case len(fields) < 5 || fields[4] != string(goplugin.ProtocolGRPC):
		return fmt.Errorf("does not speak gRPC: the handshake must name it in its fifth field")
	case len(fields) < 6 || len(fields[5]) <= 50:
		return fmt.Errorf("does not speak TLS: the handshake must carry the certificate that PLUGIN_CLIENT_CERT asks for")
	}
	return nil
}
