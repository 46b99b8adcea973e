package exposure

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
)

// maxDocument bounds a document that is read, in bytes.
const maxDocument = 16 << 20

// Encode is the document as people and programs read it, with a final newline.
func (d Document) Encode() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(d); err != nil {
		return nil, fmt.Errorf("encode the exposure: %w", err)
	}
	return b.Bytes(), nil
}

// Digest is "sha256:" and the hex digest of the document's canonical form: the
// entries of both lists sorted by their own canonical JSON, keys sorted, compact
// (C-CAPABILITY-DISCLOSURE). The order of declarations does not change it.
func (d Document) Digest() (string, error) {
	text, err := d.canonical()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	return "sha256:" + hex.EncodeToString(sum[:]), nil
}

func (d Document) canonical() ([]byte, error) {
	outputs, err := sorted(d.Outputs)
	if err != nil {
		return nil, err
	}
	capabilities, err := sorted(d.Capabilities)
	if err != nil {
		return nil, err
	}
	return compact(map[string]any{"version": d.Version, "outputs": outputs, "capabilities": capabilities})
}

func sorted[T any](entries []T) ([]json.RawMessage, error) {
	out := []json.RawMessage{}
	for _, e := range entries {
		text, err := canonicalValue(e)
		if err != nil {
			return nil, err
		}
		out = append(out, text)
	}
	slices.SortFunc(out, func(a, b json.RawMessage) int { return bytes.Compare(a, b) })
	return out, nil
}

// canonicalValue is a value with the keys of its objects sorted, compact.
func canonicalValue(v any) ([]byte, error) {
	text, err := compact(v)
	if err != nil {
		return nil, err
	}
	var generic any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&generic); err != nil {
		return nil, fmt.Errorf("encode the exposure: %w", err)
	}
	return compact(generic) // maps are written with sorted keys
}

func compact(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("encode the exposure: %w", err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// Decode reads a document that was encoded, by this version or by a newer one
// with more kinds.
func Decode(text []byte) (Document, error) {
	var d Document
	if len(text) > maxDocument {
		return d, fmt.Errorf("read the exposure: more than %d bytes", maxDocument)
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&d); err != nil {
		return d, fmt.Errorf("read the exposure: %w", err)
	}
	if d.Version != Version {
		return d, fmt.Errorf("read the exposure: version %d; this engine knows version %d", d.Version, Version)
	}
	return d, nil
}
