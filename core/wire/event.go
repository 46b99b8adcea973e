package wire

import (
	"errors"
	"fmt"
)

// Version is the "v" of every line.
const Version = 1

// Limits of one line. Encode and Decode enforce them.
const (
	// MaxLine is the length of a line in bytes, without its newline.
	MaxLine = 16 << 20
	// MaxDepth is how deep objects and arrays may nest.
	MaxDepth = 128
	// maxMembers is how many members an object with known fields may have.
	maxMembers = 512
	// maxItems is how many items a list of such objects may have.
	maxItems = 100_000
)

// ErrTooLong is the cause of an error about a line over MaxLine.
var ErrTooLong = errors.New("line over 16 MiB")

// Event is one line of the session log. The kinds are the structs of this
// package, used as values, not as pointers; nobody else can add one.
type Event interface {
	// Kind is the line's "kind".
	Kind() string
	// visit hands every field to f in the order of the wire and returns the
	// event, changed if f reads or maps.
	visit(f *fields) Event
}

// Encode writes e as one line without the newline. It fails for a negative
// count, for malformed free-form JSON and for a line over MaxLine.
func Encode(e Event) ([]byte, error) {
	return Append(nil, e)
}

// Append is Encode into a buffer: the line is appended to dst. When it fails,
// dst is returned as it was.
func Append(dst []byte, e Event) ([]byte, error) {
	line, err := appendEvent(dst, e)
	if s, ok := e.(Summary); ok && errors.Is(err, ErrTooLong) {
		line, err = s.appendShorter(dst)
	}
	if err != nil {
		return dst, fmt.Errorf("encode event %s: %w", e.Kind(), err)
	}
	return line, nil
}

func appendEvent(dst []byte, e Event) ([]byte, error) {
	if u, ok := e.(Unknown); ok {
		return u.append(dst)
	}
	f := fields{mode: writing, buf: dst}
	f.buf = append(f.buf, `{"v":1,"kind":`...)
	f.buf = appendString(f.buf, e.Kind())
	f.more = true
	e.visit(&f)
	f.buf = append(f.buf, '}')
	if f.err == nil && len(f.buf)-len(dst) > MaxLine {
		f.err = ErrTooLong
	}
	return f.buf, f.err
}

// Decode reads one line, with or without its newline. A kind that is not known
// gives an Unknown and no error. An error means that the line is torn, foreign or
// over a limit; a reader of a log goes on with the next line.
func Decode(line []byte) (Event, error) {
	obj, err := parseObject(line)
	if err != nil {
		return nil, fmt.Errorf("decode event: %w", err)
	}
	var kind string
	f := fields{mode: reading, obj: obj}
	f.token("kind", &kind, required)
	if f.err != nil {
		return nil, fmt.Errorf("decode event: %w", f.err)
	}
	e := zero(kind)
	if e == nil {
		return newUnknown(kind, line), nil
	}
	e = e.visit(&f)
	if f.err != nil {
		return nil, fmt.Errorf("decode event %s: %w", kind, f.err)
	}
	return e, nil
}

// MapText returns e with every text in it replaced by change(text): what people,
// agents and commands wrote. Names of a closed vocabulary (decisions, phases,
// outcomes), hashes and tokens stay. e itself is not changed. It is how secrets
// are masked before an event goes anywhere (change must be safe to call on any
// string, the empty one included).
func MapText(e Event, change func(string) string) Event {
	f := fields{mode: mapping, change: change}
	return e.visit(&f)
}
