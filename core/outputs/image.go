package outputs

import (
	"errors"
	"strings"
)

// checkImage wants HOST/PATH with a literal host and a literal first part of the
// path. The last part may have a tag.
func checkImage(s string) error {
	host, path, ok := strings.Cut(s, "/")
	first, _, more := strings.Cut(path, "/")
	switch {
	case !ok || host == "" || first == "":
		return errors.New("want host/path")
	case strings.Contains(host, "*") || strings.Contains(first, "*"):
		return errors.New("the registry and the first part of the path are named in full, without a wildcard")
	case more && strings.HasSuffix(path, "/"):
		return errors.New("the path ends in a slash")
	case strings.Contains(path, "@"):
		return errors.New("a digest cannot be pushed to")
	case !registry(host):
		return errors.New("the registry is not host or host:port")
	}
	repository, tag, tagged := cutTag(path)
	for step := range strings.SplitSeq(repository, "/") {
		if !part(step, small+"._-*") {
			return errors.New("the path has parts of lower-case letters, digits, dots, dashes and underscores")
		}
	}
	if tagged && (!part(tag, large+"._-*") || len(tag) > maxTag || strings.ContainsRune(".-", rune(tag[0]))) {
		return errors.New("the tag is not one of letters, digits, dots, dashes and underscores, at most 128")
	}
	return nil
}

// maxTag bounds a tag, in bytes.
const maxTag = 128

// cutTag splits a tag off the last part of a path.
func cutTag(path string) (repository, tag string, tagged bool) {
	last := strings.LastIndexByte(path, '/') + 1
	name, tag, tagged := strings.Cut(path[last:], ":")
	return path[:last] + name, tag, tagged
}

// registry reports whether s is a host, an IPv6 one in brackets, with or without
// a port.
func registry(s string) bool {
	name, port, ok := strings.Cut(s, ":")
	if inner, bracket := strings.CutPrefix(s, "["); bracket {
		address, rest, closed := strings.Cut(inner, "]")
		if !closed || !part(address, digits+"abcdefABCDEF:.") {
			return false
		}
		name, port, ok = strings.Cut("v6"+rest, ":")
		if name != "v6" {
			return false
		}
	}
	return part(name, large+".-") && (!ok || part(port, digits) && len(port) <= 5)
}

// cutDigest splits a digest off a reference; false when it is none.
func cutDigest(s string) (image string, ok bool) {
	image, digest, has := strings.Cut(s, "@")
	hex, known := strings.CutPrefix(digest, "sha256:")
	return image, !has || known && len(hex) == 64 && part(hex, digits+"abcdef")
}
