package judge

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/crucible-engine/crucible/core/decide"
)

// Limits of a reading. What is over them is malformed.
const (
	// MaxLine is the most bytes of the line.
	MaxLine = 1 << 20
	// MaxDepth is how deep objects and arrays may nest, the reading's own object
	// counted.
	MaxDepth = 64
	// MaxDetail is the most bytes of detail in its compact form.
	MaxDetail = 64 << 10
)

// beginsReading reports whether a line is meant as a reading.
func beginsReading(line string) bool {
	return strings.HasPrefix(strings.TrimSpace(line), "{")
}

// ParseReading reads the line that a measure command printed:
//
//	valid     true or false, required
//	score     number or null
//	tiebreak  number or null
//	solved    true, false or null; absent means false
//	note      text or null; absent means "<objective> = <score>"
//	detail    object or null
//
// Keys are exact in upper and lower case; others are ignored. The line must be
// one JSON object and nothing after it. A key that occurs twice, in whatever
// object, is malformed, because readers differ on which of the two counts. So is
// a number that a float64 cannot hold as finite, such as 1e999. Otherwise
// numbers are rounded to float64: integers beyond 2^53 lose their last digits,
// numbers too small become 0, and -0 is 0. A note becomes one line of at most
// MaxNote bytes. Detail keeps its numbers as they were written.
//
// The error says in one line what is malformed.
func ParseReading(line []byte, objective string) (decide.Reading, error) {
	fields, err := parseObject(line)
	if err != nil {
		return decide.Reading{}, fmt.Errorf("reading: %w", err)
	}
	reading, err := convert(fields)
	if err != nil {
		return decide.Reading{}, fmt.Errorf("reading: %w", err)
	}
	if reading.Note == "" {
		reading.Note = defaultNote(reading, objective)
	}
	return reading, nil
}

func convert(fields map[string]any) (r decide.Reading, err error) {
	valid, ok := fields["valid"]
	if !ok {
		return r, errors.New("valid is missing")
	}
	if r.Valid, ok = valid.(bool); !ok {
		return r, fmt.Errorf("valid is %s, want true or false", kindOf(valid))
	}
	if r.Score, err = optionalNumber(fields, "score"); err != nil {
		return r, err
	}
	if r.Tiebreak, err = optionalNumber(fields, "tiebreak"); err != nil {
		return r, err
	}
	if r.Solved, err = optional[bool](fields, "solved", "true or false"); err != nil {
		return r, err
	}
	note, err := optional[string](fields, "note", "text")
	if err != nil {
		return r, err
	}
	r.Note = oneLine(note, MaxNote)
	detail, err := optional[map[string]any](fields, "detail", "an object")
	if err != nil || detail == nil {
		return r, err
	}
	r.Total = unsigned(detail["total"])
	r.Detail, err = compact(detail)
	return r, err
}

// optional is the value of a key, the zero value when it is absent or null.
func optional[T any](fields map[string]any, key, want string) (value T, err error) {
	raw := fields[key]
	if raw == nil {
		return value, nil
	}
	value, ok := raw.(T)
	if !ok {
		return value, fmt.Errorf("%s is %s, want %s", key, kindOf(raw), want)
	}
	return value, nil
}

func optionalNumber(fields map[string]any, key string) (*float64, error) {
	literal, err := optional[json.Number](fields, key, "a number")
	if err != nil || literal == "" {
		return nil, err
	}
	number, err := literal.Float64()
	if err != nil {
		return nil, err // not reached: the parser has tried it
	}
	if number == 0 {
		number = 0 // -0, too
	}
	return &number, nil
}

// unsigned is a total: digits alone, up to what 64 bits hold.
func unsigned(raw any) *uint64 {
	literal, ok := raw.(json.Number)
	if !ok {
		return nil
	}
	total, err := strconv.ParseUint(literal.String(), 10, 64)
	if err != nil {
		return nil
	}
	return &total
}

func compact(detail map[string]any) (string, error) {
	var out strings.Builder
	encoder := json.NewEncoder(&out) // sorts the keys of maps
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(detail); err != nil {
		return "", fmt.Errorf("detail: %w", err)
	}
	text := strings.TrimSuffix(out.String(), "\n")
	if len(text) > MaxDetail {
		return "", fmt.Errorf("detail has %d bytes, the limit is %d", len(text), MaxDetail)
	}
	return text, nil
}

func kindOf(value any) string {
	switch value.(type) {
	case nil:
		return "null"
	case bool:
		return "true or false"
	case string:
		return "text"
	case json.Number:
		return "a number"
	case []any:
		return "an array"
	default:
		return "an object"
	}
}
