package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"
)

// object is the members of a JSON object in the order of the text.
type object []member

type member struct {
	name, value []byte // name is unquoted, value is the JSON text
}

// find is the JSON text of a member, nil when there is none. The last of several
// of one name counts.
func (o object) find(name string) []byte {
	for i := len(o) - 1; i >= 0; i-- {
		if string(o[i].name) == name {
			return o[i].value
		}
	}
	return nil
}

// parseObject checks the bounds and the grammar of one line, in this order, and
// splits it into its members.
func parseObject(line []byte) (object, error) {
	if err := check(line); err != nil {
		return nil, err
	}
	return splitObject(bytes.TrimSpace(line))
}

// check refuses what is too long, too deep or not JSON.
func check(text []byte) error {
	if len(text) > MaxLine+1 { // one more for a newline
		return ErrTooLong
	}
	if depth(text) > MaxDepth {
		return fmt.Errorf("nested over %d deep", MaxDepth)
	}
	if !json.Valid(text) {
		return errors.New("not one JSON value")
	}
	return nil
}

// depth is how deep the brackets of text nest. It needs no valid text.
func depth(text []byte) int {
	deepest, now := 0, 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			i = endOfString(text, i) - 1
		case '{', '[':
			now++
			deepest = max(deepest, now)
		case '}', ']':
			now--
		}
	}
	return deepest
}

// endOfString is the index after the string that starts at i, at most len(text).
func endOfString(text []byte, i int) int {
	for i++; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(text)
}

// endOfValue is the index after the value that starts at i of valid JSON.
func endOfValue(text []byte, i int) int {
	level := 0
	for i < len(text) {
		switch text[i] {
		case '"':
			i = endOfString(text, i)
			if level == 0 {
				return i
			}
			continue
		case '{', '[':
			level++
		case '}', ']':
			if level == 0 {
				return i // the end of a number or a word
			}
			level--
			if level == 0 {
				return i + 1
			}
		case ',', ' ', '\t', '\n', '\r':
			if level == 0 {
				return i
			}
		}
		i++
	}
	return i
}

func skipSpace(text []byte, i int) int {
	for i < len(text) && (text[i] == ' ' || text[i] == '\t' || text[i] == '\n' || text[i] == '\r') {
		i++
	}
	return i
}

// splitObject takes an object of valid JSON apart.
func splitObject(raw []byte) (object, error) {
	return splitMembers(raw, maxMembers)
}

func splitMembers(raw []byte, limit int) (object, error) {
	if len(raw) == 0 || raw[0] != '{' {
		return nil, errors.New("is not an object")
	}
	var out object
	for i := skipSpace(raw, 1); raw[i] != '}'; {
		if len(out) == limit {
			return nil, fmt.Errorf("has over %d members", limit)
		}
		end := endOfString(raw, i)
		name, _ := unquoteBytes(raw[i:end])
		i = skipSpace(raw, end)
		i = skipSpace(raw, i+1) // the colon
		end = endOfValue(raw, i)
		out = append(out, member{name, raw[i:end]})
		i = skipSpace(raw, end)
		if raw[i] == ',' {
			i = skipSpace(raw, i+1)
		}
	}
	return out, nil
}

// splitArray takes an array of valid JSON apart.
func splitArray(raw []byte) ([][]byte, error) {
	if len(raw) == 0 || raw[0] != '[' {
		return nil, errors.New("is not a list")
	}
	var out [][]byte
	for i := skipSpace(raw, 1); raw[i] != ']'; {
		if len(out) == maxItems {
			return nil, fmt.Errorf("has over %d items", maxItems)
		}
		end := endOfValue(raw, i)
		out = append(out, raw[i:end])
		i = skipSpace(raw, end)
		if raw[i] == ',' {
			i = skipSpace(raw, i+1)
		}
	}
	return out, nil
}

// unquote is the text of a JSON string. Lone surrogates and bytes that are not
// UTF-8 become U+FFFD.
func unquote(raw []byte) (string, bool) {
	text, ok := unquoteBytes(raw)
	return string(text), ok
}

func unquoteBytes(raw []byte) ([]byte, bool) {
	if len(raw) < 2 || raw[0] != '"' {
		return nil, false
	}
	inner := raw[1 : len(raw)-1]
	if bytes.IndexByte(inner, '\\') < 0 && utf8.Valid(inner) {
		return inner, true
	}
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return nil, false
	}
	return []byte(s), true
}

// parseUint also takes a whole number that was written with a fraction, as some
// languages do.
func parseUint(raw []byte) (uint64, bool) {
	if n, err := strconv.ParseUint(string(raw), 10, 64); err == nil {
		return n, true
	}
	x, ok := parseFloat(raw)
	if !ok || x < 0 || x > 1<<53 || x != math.Trunc(x) {
		return 0, false
	}
	return uint64(x), true
}

func parseInt(raw []byte) (int64, bool) {
	if n, err := strconv.ParseInt(string(raw), 10, 32); err == nil {
		return n, true
	}
	x, ok := parseFloat(raw)
	if !ok || x < math.MinInt32 || x > math.MaxInt32 || x != math.Trunc(x) {
		return 0, false
	}
	return int64(x), true
}

func parseFloat(raw []byte) (float64, bool) {
	if c := raw[0]; c != '-' && (c < '0' || c > '9') {
		return 0, false
	}
	x, err := strconv.ParseFloat(string(raw), 64)
	return x, err == nil
}
