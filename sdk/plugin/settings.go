package plugin

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/crucible-engine/crucible/sdk/contract"
)

// Settings is the table of the manifest that belongs to a plugin, as one JSON
// object of at most contract.MaxSettings bytes. Empty means no settings.
type Settings []byte

// Decode reads the settings into a pointer to a struct, by the rules of
// encoding/json but with exact key names, and reports every key that the struct
// does not have and the first value of a wrong type. The diagnostics are sorted
// by key path.
func (s Settings) Decode(into any) []Diagnostic {
	text := bytes.TrimSpace(s)
	switch {
	case len(text) == 0:
		return nil
	case len(text) > contract.MaxSettings:
		return []Diagnostic{{Severity: SeverityError, Message: fmt.Sprintf("settings of %d bytes; the limit is %d", len(text), contract.MaxSettings)}}
	case text[0] != '{':
		return []Diagnostic{{Severity: SeverityError, Message: "settings are not a JSON object"}}
	}
	found := unknown(text, reflect.TypeOf(into), "")
	if err := json.Unmarshal(text, into); err != nil {
		d := Diagnostic{Severity: SeverityError, Message: err.Error()}
		if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) {
			d.Path, d.Message = wrong.Field, fmt.Sprintf("is a %s, want %s", wrong.Value, wrong.Type)
		}
		found = append(found, d)
	}
	slices.SortStableFunc(found, func(a, b Diagnostic) int { return strings.Compare(a.Path, b.Path) })
	return found
}

// unknown finds the keys of the object text that the struct t has no field for,
// in it and in the structs within. Text that is no object finds nothing here;
// the decoder will say what is wrong with it.
func unknown(text []byte, t reflect.Type, path string) []Diagnostic {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.Struct:
	case reflect.Map:
		return within(text, path, func(string) (reflect.Type, bool) { return t.Elem(), true }, nil)
	case reflect.Slice, reflect.Array:
		var list []json.RawMessage
		if json.Unmarshal(text, &list) != nil {
			return nil
		}
		var found []Diagnostic
		for i, item := range list {
			found = append(found, unknown(item, t.Elem(), fmt.Sprintf("%s[%d]", path, i))...)
		}
		return found
	default:
		return nil
	}
	fields := map[string]reflect.Type{}
	for _, f := range reflect.VisibleFields(t) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); f.IsExported() && !f.Anonymous && name != "-" {
			if name == "" {
				name = f.Name
			}
			fields[name] = f.Type
		}
	}
	known := slices.Sorted(maps.Keys(fields))
	return within(text, path, func(key string) (reflect.Type, bool) {
		ft, ok := fields[key]
		return ft, ok
	}, known)
}

// within looks at every key of an object.
func within(text []byte, path string, field func(string) (reflect.Type, bool), known []string) []Diagnostic {
	var object map[string]json.RawMessage
	if json.Unmarshal(text, &object) != nil {
		return nil
	}
	var found []Diagnostic
	for _, key := range slices.Sorted(maps.Keys(object)) {
		at := key
		if path != "" {
			at = path + "." + key
		}
		t, ok := field(key)
		if !ok {
			hint := "there are no keys here"
			if len(known) > 0 {
				hint = "known keys: " + strings.Join(known, ", ")
			}
			found = append(found, Diagnostic{Severity: SeverityError, Path: at, Message: "unknown key", Hint: hint})
			continue
		}
		found = append(found, unknown(object[key], t, at)...)
	}
	return found
}
