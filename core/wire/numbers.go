package wire

import (
	"fmt"
	"math"
)

// count is a number from 0 to 2^32-1.
func (f *fields) count(name string, n *int, r rule) {
	switch f.mode {
	case writing:
		if *n < 0 || *n > math.MaxUint32 {
			f.fail(name, fmt.Sprintf("is %d, want 0 to 2^32-1", *n))
		}
		f.key(name)
		f.buf = appendInt(f.buf, int64(*n))
	case reading:
		var u uint64
		f.readUint(name, &u, r, math.MaxUint32)
		*n = int(u)
	case mapping:
	}
}

// integer is a number from -2^31 to 2^31-1.
func (f *fields) integer(name string, n *int, r rule) {
	switch f.mode {
	case writing:
		f.key(name)
		f.buf = appendInt(f.buf, int64(*n))
	case reading:
		if raw := f.value(name, r); raw != nil {
			i, ok := parseInt(raw)
			if !ok {
				f.fail(name, "is not a whole number of 32 bits")
			}
			*n = int(i)
		}
	case mapping:
	}
}

// size is a number from 0 to 2^64-1.
func (f *fields) size(name string, n *uint64, r rule) {
	switch f.mode {
	case writing:
		f.key(name)
		f.buf = appendUint(f.buf, *n)
	case reading:
		f.readUint(name, n, r, math.MaxUint64)
	case mapping:
	}
}

// sizeOrNull is a size that may be unknown: null, or left out when optional.
func (f *fields) sizeOrNull(name string, n **uint64, r rule) {
	switch f.mode {
	case writing:
		if *n == nil && r == optional {
			return
		}
		f.key(name)
		if *n == nil {
			f.buf = append(f.buf, "null"...)
			return
		}
		f.buf = appendUint(f.buf, **n)
	case reading:
		if f.value(name, r) != nil {
			u := new(uint64)
			f.readUint(name, u, r, math.MaxUint64)
			*n = u
		}
	case mapping:
	}
}

func (f *fields) readUint(name string, n *uint64, r rule, limit uint64) {
	raw := f.value(name, r)
	if raw == nil {
		return
	}
	u, ok := parseUint(raw)
	if !ok || u > limit {
		f.fail(name, fmt.Sprintf("is not a whole number from 0 to %d", limit))
		return
	}
	*n = u
}

// number is a floating point number.
func (f *fields) number(name string, x *float64, r rule) {
	switch f.mode {
	case writing:
		f.key(name)
		f.buf = appendFloat(f.buf, *x)
	case reading:
		f.readFloat(name, x, r)
	case mapping:
	}
}

// numberOrNull is a number that may be unknown: null, or left out when optional.
func (f *fields) numberOrNull(name string, x **float64, r rule) {
	switch f.mode {
	case writing:
		if *x == nil && r == optional {
			return
		}
		f.key(name)
		if *x == nil {
			f.buf = append(f.buf, "null"...)
			return
		}
		f.buf = appendFloat(f.buf, **x)
	case reading:
		if f.value(name, r) != nil {
			v := new(float64)
			f.readFloat(name, v, r)
			*x = v
		}
	case mapping:
	}
}

func (f *fields) readFloat(name string, x *float64, r rule) {
	raw := f.value(name, r)
	if raw == nil {
		return
	}
	v, ok := parseFloat(raw)
	if !ok {
		f.fail(name, "is not a finite number")
		return
	}
	*x = v
}
