package outputs

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxTarget bounds a target, in bytes.
const maxTarget = 512

// CheckTarget refuses a fixed target or a scope that would admit any target of
// its kind, or that no target of the kind can match (C-OUTPUTS). What has to be
// literal depends on the kind: the owner of a repository, the host and the first
// part of an image's path, the project of a tracker item, the namespace of a
// deployment, all of a chat destination.
func CheckTarget(k Kind, s string) error {
	switch {
	case strings.TrimSpace(s) == "":
		return errors.New("is empty")
	case len(s) > maxTarget:
		return fmt.Errorf("has more than %d bytes", maxTarget)
	case !utf8.ValidString(s) || strings.ContainsFunc(s, func(r rune) bool { return r == ' ' || !unicode.IsPrint(r) }):
		return errors.New("holds white space or a character that cannot be seen")
	}
	switch k {
	case DraftPR, WorkflowDispatch:
		return checkRepository(s)
	case TrackerComment:
		return checkItem(s)
	case ChatMessage:
		if strings.Contains(s, "*") {
			return errors.New("a chat destination is named in full, without a wildcard")
		}
		return nil
	case ImagePush:
		return checkImage(s)
	case Deploy:
		return checkDeployment(s)
	default:
		return errors.New("this kind addresses nothing")
	}
}

// Letters of the parts of targets. A back end puts them into a URL or a command,
// so nothing that means something there is among them.
const (
	digits = "0123456789"
	small  = "abcdefghijklmnopqrstuvwxyz" + digits
	large  = small + "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
)

// part reports whether s is a part of a path: of these letters, and no step to
// somewhere else.
func part(s, letters string) bool {
	return s != "" && s != "." && s != ".." && strings.Trim(s, letters) == ""
}

// checkRepository wants owner/name; only the name may have a wildcard.
func checkRepository(s string) error {
	owner, name, _ := strings.Cut(s, "/")
	switch {
	case strings.Contains(owner, "*"):
		return errors.New("the owner is named in full, without a wildcard")
	case !part(owner, large+"._-") || !part(name, large+"._-*"):
		return errors.New("want owner/name, of letters, digits, dots, dashes and underscores")
	}
	return nil
}

// checkItem wants PROJECT-NUMBER, whose number may have a wildcard, or another
// tracker's key in full.
func checkItem(s string) error {
	project, _, dash := strings.Cut(s, "-")
	switch {
	case projectItem(s):
		return nil
	case dash && strings.Contains(project, "*"):
		return errors.New("the project is named in full, without a wildcard")
	case strings.Contains(s, "*"):
		return errors.New("want PROJECT-NUMBER when there is a wildcard")
	case dash && (project == "" || strings.HasSuffix(s, "-")):
		return errors.New("want PROJECT-NUMBER")
	}
	for step := range strings.SplitSeq(s, "/") {
		if !part(step, large+"._-#") {
			return errors.New("want PROJECT-NUMBER, or a key of letters, digits and any of / # . _ -")
		}
	}
	return nil
}

// projectItem reports whether s has the form PROJECT-NUMBER.
func projectItem(s string) bool {
	project, number, _ := strings.Cut(s, "-")
	return part(project, large+"_") && part(number, large+"*")
}

// checkDeployment wants NAMESPACE/NAME, or a name in full.
func checkDeployment(s string) error {
	namespace, name, ok := strings.Cut(s, "/")
	switch {
	case !ok && strings.Contains(s, "*"):
		return errors.New("want namespace/name when there is a wildcard")
	case !ok && part(s, large+"._-"):
		return nil
	case strings.Contains(namespace, "*"):
		return errors.New("the namespace is named in full, without a wildcard")
	case !part(namespace, large+"._-") || !part(name, large+"._-*"):
		return errors.New("want namespace/name, of letters, digits, dots, dashes and underscores")
	}
	return nil
}
