package host

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/hashicorp/go-hclog"
)

const (
	logBuffer    = 1 << 20 // bytes of one line of a plugin's log
	excerptLines = 10      // lines of stderr that the text of an error shows
	excerptBytes = 2 << 10 // bytes of them
)

// libraryLogger is what go-plugin gets. Its own remarks on starting and stopping
// are for debugging: the host reports what matters itself. The log of a plugin,
// for which go-plugin asks for a named logger, keeps its levels.
type libraryLogger struct {
	hclog.Logger
	plugin hclog.Logger
}

func (l libraryLogger) Info(msg string, args ...any)  { l.Debug(msg, args...) }
func (l libraryLogger) Warn(msg string, args ...any)  { l.Debug(msg, args...) }
func (l libraryLogger) Error(msg string, args ...any) { l.Debug(msg, args...) }

// Named gives the logger of the plugin, unless the name is go-plugin's own.
func (l libraryLogger) Named(name string) hclog.Logger {
	if name == "stdio" {
		return l
	}
	return l.plugin
}

// lineLogger logs each line that is written to it. It is safe for concurrent
// use and holds at most logBuffer bytes.
type lineLogger struct {
	logger hclog.Logger
	stream string

	mu      sync.Mutex
	pending []byte
}

// Write takes the next bytes of the stream. It never fails.
func (l *lineLogger) Write(data []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := len(data)
	for {
		line, rest, ended := bytes.Cut(data, []byte("\n"))
		l.pending = append(l.pending, line[:min(len(line), logBuffer-len(l.pending))]...)
		if !ended {
			return n, nil
		}
		l.flush()
		data = rest
	}
}

// close logs a last line that has no end.
func (l *lineLogger) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.flush()
}

func (l *lineLogger) flush() {
	if len(l.pending) > 0 {
		l.logger.Debug("plugin output", "stream", l.stream, "line", printable(string(l.pending)))
	}
	l.pending = nil
}

// excerpt is the end of a plugin's stderr for the text of an error: a few lines,
// of a structured log the message and its values.
func excerpt(tail string) string {
	lines := strings.Split(strings.TrimSpace(tail), "\n")
	lines = lines[max(0, len(lines)-excerptLines):]
	for i, line := range lines {
		lines[i] = plainLine(line)
	}
	text := printable(strings.Join(lines, " | "))
	if text == "" {
		return ""
	}
	if len(text) > excerptBytes {
		text = "…" + strings.ToValidUTF8(text[len(text)-excerptBytes:], "")
	}
	return "; stderr: " + text
}

// plainLine turns a line of hclog's JSON into text and leaves others alone.
func plainLine(line string) string {
	var entry map[string]any
	if json.Unmarshal([]byte(line), &entry) != nil {
		return line
	}
	message, ok := entry["@message"].(string)
	if !ok {
		return line
	}
	var keys []string
	for key := range entry {
		if !strings.HasPrefix(key, "@") {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	for _, key := range keys {
		message += fmt.Sprintf(" %s=%v", key, entry[key])
	}
	return message
}

// printable replaces what a terminal would obey.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\t' {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "�"))
}
