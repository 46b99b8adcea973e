package outputs

import (
	"errors"
	"fmt"
	"strings"
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
	case strings.TrimSpace(s) != s || strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r == 0x7f }):
		return errors.New("holds white space or a control character")
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

// checkRepository wants owner/name; only the name may have a wildcard.
func checkRepository(s string) error {
	owner, name, ok := strings.Cut(s, "/")
	switch {
	case !ok || owner == "" || name == "" || strings.Contains(name, "/"):
		return errors.New("want owner/name")
	case strings.Contains(owner, "*"):
		return errors.New("the owner is named in full, without a wildcard")
	}
	return nil
}

// checkItem wants PROJECT-NUMBER; only the number may have a wildcard.
func checkItem(s string) error {
	project, number, ok := strings.Cut(s, "-")
	switch {
	case !ok && !strings.Contains(s, "*"):
		return nil // another tracker's key, in full
	case !ok || project == "" || number == "":
		return errors.New("want PROJECT-NUMBER")
	case strings.Contains(project, "*"):
		return errors.New("the project is named in full, without a wildcard")
	}
	return nil
}

// checkImage wants HOST/PATH with a literal host and a literal first part.
func checkImage(s string) error {
	host, path, ok := strings.Cut(s, "/")
	first, _, _ := strings.Cut(path, "/")
	switch {
	case !ok || host == "" || first == "":
		return errors.New("want host/path")
	case strings.Contains(host, "*") || strings.Contains(first, "*"):
		return errors.New("the registry and the first part of the path are named in full, without a wildcard")
	case strings.ContainsAny(path, "@"):
		return errors.New("a digest cannot be pushed to")
	}
	return nil
}

// checkDeployment wants NAMESPACE/NAME, or a name in full.
func checkDeployment(s string) error {
	namespace, name, ok := strings.Cut(s, "/")
	switch {
	case !ok && strings.Contains(s, "*"):
		return errors.New("want namespace/name when there is a wildcard")
	case !ok:
		return nil
	case namespace == "" || name == "" || strings.Contains(name, "/"):
		return errors.New("want namespace/name")
	case strings.Contains(namespace, "*"):
		return errors.New("the namespace is named in full, without a wildcard")
	}
	return nil
}
