package contract

import (
	"errors"
	"strings"
)

// Kind says what a caller can do about an error that crossed a plugin
// boundary. The list is closed; a number once retired is not used again.
type Kind int

// The kinds. KindUnspecified is what a peer that is newer or older than us
// said; it is treated like KindInternal.
const (
	KindUnspecified Kind = iota
	KindInvalid          // the request or configuration is wrong: the run stops
	KindUnavailable      // a passing failure of something outside: tried again
	KindRefused          // understood and not allowed: recorded, the run goes on
	KindNotFound         // by operation
	KindConflict         // by operation
	KindUnsupported      // the ability is missing
	KindInternal         // a fault of the plugin: not tried again
)

// String is the kind's name in lower case.
func (k Kind) String() string {
	switch k {
	case KindInvalid:
		return "invalid"
	case KindUnavailable:
		return "unavailable"
	case KindRefused:
		return "refused"
	case KindNotFound:
		return "not found"
	case KindConflict:
		return "conflict"
	case KindUnsupported:
		return "unsupported"
	case KindInternal:
		return "internal"
	default:
		return "unspecified"
	}
}

// Sentinels for errors.Is, one per kind.
var (
	ErrInvalid     = errors.New("invalid")
	ErrUnavailable = errors.New("unavailable")
	ErrRefused     = errors.New("refused")
	ErrNotFound    = errors.New("not found")
	ErrConflict    = errors.New("conflict")
	ErrUnsupported = errors.New("unsupported")
	ErrInternal    = errors.New("internal")
)

// Error is the one error type that crosses a plugin boundary.
type Error struct {
	Kind Kind
	// Op is what was being done: "restore token".
	Op string
	// Message is what went wrong; never a secret, a prompt or a cursor.
	Message string
	// Subject is what it was done to: a key path, a file. May be empty.
	Subject string
}

// NewError makes an Error whose message is the text of cause.
func NewError(kind Kind, op, subject string, cause error) *Error {
	e := &Error{Kind: kind, Op: op, Subject: subject}
	if cause != nil {
		e.Message = cause.Error()
	}
	return e
}

// Error reads "op subject: message".
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Op)
	if e.Subject != "" {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(e.Subject)
	}
	text := e.Message
	if text == "" {
		text = e.Kind.String()
	}
	if b.Len() > 0 {
		b.WriteString(": ")
	}
	b.WriteString(text)
	return b.String()
}

// Is matches the sentinel of the error's kind.
func (e *Error) Is(target error) bool {
	s := sentinel(e.Kind)
	return s != nil && s == target
}

// KindOf is the kind of the first Error in err's chain, else that of the first
// sentinel, else KindUnspecified.
func KindOf(err error) Kind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	for k := KindInvalid; k <= KindInternal; k++ {
		if errors.Is(err, sentinel(k)) {
			return k
		}
	}
	return KindUnspecified
}

func sentinel(k Kind) error {
	switch k {
	case KindInvalid:
		return ErrInvalid
	case KindUnavailable:
		return ErrUnavailable
	case KindRefused:
		return ErrRefused
	case KindNotFound:
		return ErrNotFound
	case KindConflict:
		return ErrConflict
	case KindUnsupported:
		return ErrUnsupported
	case KindInternal:
		return ErrInternal
	default:
		return nil
	}
}
