package outputs

import (
	"errors"
	"strings"
)

func wild(s string) bool { return strings.Contains(s, "*") }

// normal brings a target into the form in which two of a kind are compared:
// GitHub does not distinguish cases, tracker keys are upper-case, and a registry
// has a default port.
func normal(k Kind, s string) string {
	switch k {
	case DraftPR, WorkflowDispatch:
		return strings.ToLower(s)
	case TrackerComment:
		return strings.ToUpper(s)
	case ImagePush:
		host, path, _ := strings.Cut(s, "/")
		host = strings.TrimSuffix(strings.ToLower(host), ":443")
		return host + "/" + path
	default:
		return s
	}
}

func equal(k Kind, a, b string) bool { return normal(k, a) == normal(k, b) }

// admit follows a wish as far as a scope or a fixed target lets it. What is
// declared in full is given as it is declared. An image may extend what is
// declared: a tag, or a path below it.
func admit(k Kind, scope, wish string) (target string, ok bool) {
	switch {
	case scope == "" || CheckWish(k, wish) != nil:
		return "", false
	case wild(scope):
		ok = glob(normal(k, scope), normal(k, wish)) && (k != TrackerComment || projectItem(wish))
	case equal(k, scope, wish):
		return scope, true
	default:
		ok = extends(k, scope, wish, "/:@")
	}
	return normal(k, wish), ok
}

// extends reports whether a target goes on behind a declared one with one of
// these characters: of images alone.
func extends(k Kind, declared, target, with string) bool {
	rest, ok := strings.CutPrefix(normal(k, target), normal(k, declared))
	return ok && k == ImagePush && rest != "" && strings.Contains(with, rest[:1])
}

// CheckWish refuses a target that an agent named and that is none of its kind.
func CheckWish(k Kind, s string) error {
	if wild(s) {
		return errors.New("holds a wildcard")
	}
	if k == ImagePush {
		image, ok := cutDigest(s)
		if !ok {
			return errors.New("the digest is not sha256: and 64 hexadecimal digits")
		}
		s = image
	}
	return CheckTarget(k, s)
}

// glob matches an anchored pattern in which "*" stands for any characters. That
// it does not lead into another part of a path, but for images, is what the form
// of a target of the kind is for. It takes time of the product of both lengths
// at most.
func glob(pattern, s string) bool {
	parts := strings.Split(pattern, "*")
	if !strings.HasPrefix(s, parts[0]) {
		return false
	}
	s = s[len(parts[0]):]
	for i, part := range parts[1:] {
		last := i == len(parts)-2
		at := strings.Index(s, part)
		if last {
			at = len(s) - len(part)
			if at < 0 || !strings.HasSuffix(s, part) {
				return false
			}
		}
		if at < 0 {
			return false
		}
		s = s[at+len(part):]
	}
	return s == ""
}
