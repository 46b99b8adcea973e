package judge

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// parseObject reads one JSON object. It is stricter than encoding/json: bounded
// in size and depth, no key twice in one object, no number out of range.
func parseObject(text []byte) (map[string]any, error) {
	if len(text) > MaxLine {
		return nil, fmt.Errorf("longer than the limit of %d bytes", MaxLine)
	}
	var whole json.RawMessage // finds what is not JSON, and what follows the object
	if err := json.Unmarshal(text, &whole); err != nil {
		return nil, fmt.Errorf("not JSON: %w", err)
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	value, err := parseValue(decoder, "", 0)
	if err != nil {
		return nil, err
	}
	object, ok := value.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("is %s, want an object", kindOf(value))
	}
	return object, nil
}

// parseValue reads the next value; path says where it is, depth how many objects
// and arrays are around it.
func parseValue(decoder *json.Decoder, path string, depth int) (any, error) {
	token, err := decoder.Token()
	if err != nil {
		return nil, fmt.Errorf("not JSON: %w", err)
	}
	switch token := token.(type) {
	case json.Delim:
		if depth == MaxDepth {
			return nil, fmt.Errorf("nests deeper than the limit of %d", MaxDepth)
		}
		if token == '{' {
			return parseMembers(decoder, path, depth+1)
		}
		return parseElements(decoder, path, depth+1)
	case json.Number:
		if _, err := token.Float64(); err != nil {
			return nil, fmt.Errorf("%s: the number %s is out of range", path, oneLine(token.String(), 40))
		}
		return token, nil
	default:
		return token, nil
	}
}

func parseMembers(decoder *json.Decoder, path string, depth int) (any, error) {
	object := map[string]any{}
	for decoder.More() {
		token, err := decoder.Token()
		if err != nil {
			return nil, fmt.Errorf("not JSON: %w", err)
		}
		key, ok := token.(string)
		if !ok {
			return nil, fmt.Errorf("not JSON: a key of %s is not text", path)
		}
		at := member(path, key)
		if _, twice := object[key]; twice {
			return nil, fmt.Errorf("%s occurs twice", at)
		}
		if object[key], err = parseValue(decoder, at, depth); err != nil {
			return nil, err
		}
	}
	_, err := decoder.Token() // the closing bracket
	return object, err
}

func parseElements(decoder *json.Decoder, path string, depth int) (any, error) {
	array := []any{}
	for decoder.More() {
		value, err := parseValue(decoder, path, depth)
		if err != nil {
			return nil, err
		}
		array = append(array, value)
	}
	_, err := decoder.Token() // the closing bracket
	return array, err
}

// member names a key for an error: "detail.total", bounded.
func member(path, key string) string {
	key = oneLine(key, 40)
	if path == "" {
		return key
	}
	if len(path) > 80 {
		return path
	}
	return path + "." + key
}
