package wire

import (
	"math"
	"strconv"
	"unicode/utf8"
)

const hexDigits = "0123456789abcdef"

// appendString writes s quoted, as the package comment says.
func appendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			if r != utf8.RuneError || n != 1 {
				i += n
				continue
			}
			dst = append(dst, s[start:i]...)
			dst = append(dst, "\uFFFD"...)
			i++
			start = i
			continue
		}
		if c >= ' ' && c != '"' && c != '\\' {
			i++
			continue
		}
		dst = append(dst, s[start:i]...)
		dst = appendEscape(dst, c)
		i++
		start = i
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"')
}

func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\b':
		return append(dst, '\\', 'b')
	case '\t':
		return append(dst, '\\', 't')
	case '\n':
		return append(dst, '\\', 'n')
	case '\f':
		return append(dst, '\\', 'f')
	case '\r':
		return append(dst, '\\', 'r')
	default:
		return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
	}
}

func appendInt(dst []byte, n int64) []byte   { return strconv.AppendInt(dst, n, 10) }
func appendUint(dst []byte, n uint64) []byte { return strconv.AppendUint(dst, n, 10) }

// appendFloat writes x with the shortest digits that read back as x, always so
// that it cannot be taken for an integer: "5.0", "0.00001", "1e16", "1.5e-7".
// What is not finite is null.
func appendFloat(dst []byte, x float64) []byte {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return append(dst, "null"...)
	}
	abs := math.Abs(x)
	if abs != 0 && (abs < 1e-5 || abs >= 1e16) {
		return appendExponent(dst, x)
	}
	start := len(dst)
	dst = strconv.AppendFloat(dst, x, 'f', -1, 64)
	for _, c := range dst[start:] {
		if c == '.' {
			return dst
		}
	}
	return append(dst, '.', '0')
}

// appendExponent drops the plus sign and the leading zeros of strconv's exponent.
func appendExponent(dst []byte, x float64) []byte {
	start := len(dst)
	dst = strconv.AppendFloat(dst, x, 'e', -1, 64)
	e := start
	for dst[e] != 'e' {
		e++
	}
	out, in := e+1, e+1
	if dst[in] == '-' {
		out++
	}
	in++
	for in < len(dst)-1 && dst[in] == '0' {
		in++
	}
	n := copy(dst[out:], dst[in:])
	return dst[:out+n]
}
