package outputs

import "strings"

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

// admits reports whether a scope or a fixed target lets a target through. An
// image may extend what is declared: a tag, or a path below it.
func admits(k Kind, scope, target string) bool {
	if scope == "" || CheckWish(k, target) != nil {
		return false
	}
	if wild(scope) {
		return glob(normal(k, scope), normal(k, target), k == ImagePush)
	}
	return equal(k, scope, target) || extends(k, scope, target)
}

// extends reports whether a target is below a declared one: of images alone.
func extends(k Kind, declared, target string) bool {
	rest, ok := strings.CutPrefix(normal(k, target), normal(k, declared))
	return ok && k == ImagePush && rest != "" && strings.ContainsRune("/:@", rune(rest[0]))
}

// CheckWish refuses a target that an agent named and that is none of its kind.
func CheckWish(k Kind, s string) error {
	if wild(s) {
		return errWish("holds a wildcard")
	}
	if strings.Contains(s, "..") && k == ImagePush {
		return errWish("leads upwards")
	}
	if k == ImagePush {
		s, _, _ = strings.Cut(s, "@") // with a digest
	}
	return CheckTarget(k, s)
}

type errWish string

func (e errWish) Error() string { return string(e) }

// glob matches an anchored pattern in which "*" stands for any characters, of
// one part of the path unless deep. It takes time of the product of both lengths
// at most.
func glob(pattern, s string, deep bool) bool {
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
		if at < 0 || !deep && strings.Contains(s[:at], "/") {
			return false
		}
		s = s[at+len(part):]
	}
	return s == ""
}
