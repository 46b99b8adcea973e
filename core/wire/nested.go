package wire

import (
	"encoding/json"
	"fmt"
	"slices"
)

// free is JSON of any form; it is written with its keys sorted.
func (f *fields) free(name string, v *json.RawMessage, r rule) {
	switch f.mode {
	case writing:
		if len(*v) == 0 && r == optional {
			return
		}
		f.key(name)
		if len(*v) == 0 {
			f.buf = append(f.buf, "null"...)
			return
		}
		var err error
		if f.buf, err = appendFree(f.buf, *v, nil); err != nil {
			f.fail(name, err.Error())
		}
	case reading:
		raw := f.value(name, r)
		if f.bounded && len(raw) > maxFree {
			f.fail(name, fmt.Sprintf("is over %d bytes", maxFree))
			return
		}
		if raw != nil {
			*v = slices.Clone(raw)
		}
	case mapping:
		if len(*v) == 0 {
			return
		}
		if out, err := appendFree(nil, *v, f.change); err == nil {
			*v = out
		}
	}
}

// object is a member with fields of its own.
func (f *fields) object(name string, r rule, visit func(*fields)) {
	switch f.mode {
	case writing:
		f.key(name)
		f.braces(visit)
	case reading:
		raw := f.value(name, r)
		if raw == nil {
			return
		}
		f.within(name, raw, visit)
	case mapping:
		visit(f)
	}
}

func (f *fields) braces(visit func(*fields)) {
	f.buf = append(f.buf, '{')
	f.more = false
	visit(f)
	f.buf = append(f.buf, '}')
	f.more = true
}

// within reads the fields of a nested object.
func (f *fields) within(name string, raw []byte, visit func(*fields)) {
	outer := f.obj
	obj, err := splitObject(raw)
	if err != nil {
		f.fail(name, err.Error())
		return
	}
	f.obj = obj
	visit(f)
	f.obj = outer
}

// list is an array of objects with fields.
func list[T any](f *fields, name string, items *[]T, r rule, visit func(*T, *fields)) {
	switch f.mode {
	case writing:
		if len(*items) == 0 && r == optional {
			return
		}
		f.key(name)
		f.buf = append(f.buf, '[')
		for i := range *items {
			if i > 0 {
				f.buf = append(f.buf, ',')
			}
			f.braces(func(f *fields) { visit(&(*items)[i], f) })
		}
		f.buf = append(f.buf, ']')
	case reading:
		raw := f.value(name, r)
		if raw == nil {
			return
		}
		spans, err := splitArray(raw)
		if err == nil && f.bounded && len(spans) > maxAgentItems {
			err = fmt.Errorf("has over %d items", maxAgentItems)
		}
		if err != nil {
			f.fail(name, err.Error())
			return
		}
		out := make([]T, len(spans))
		for i, span := range spans {
			f.within(name, span, func(f *fields) { visit(&out[i], f) })
			if f.err != nil {
				return
			}
		}
		*items = out
	case mapping:
		*items = slices.Clone(*items)
		for i := range *items {
			visit(&(*items)[i], f)
		}
	}
}
