package host

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/crucible-engine/crucible/sdk/plugin"
)

// binaryPrefix begins the file name of every plugin.
const binaryPrefix = "crucible-"

// namePattern is what a plugin may be called: it becomes part of a file name.
var namePattern = regexp.MustCompile(`^[a-z][a-z0-9-]*$`)

// Ref names a plugin: what a manifest can say about it.
type Ref struct {
	// Kind is plugin.KindTransport or plugin.KindWorld.
	Kind string
	// Name is lower case letters, digits and dashes, a letter first, at most 40.
	Name string
}

// ParseRef reads KIND/NAME.
func ParseRef(s string) (Ref, error) {
	kind, name, ok := strings.Cut(s, "/")
	if !ok {
		return Ref{}, fmt.Errorf("plugin %q: want KIND/NAME, for example transport/command", s)
	}
	ref := Ref{Kind: kind, Name: name}
	return ref, ref.valid()
}

// String is KIND/NAME, and a question mark for the zero value.
func (r Ref) String() string {
	if r == (Ref{}) {
		return "?"
	}
	return r.Kind + "/" + r.Name
}

// Binary is the file name to look for.
func (r Ref) Binary() string { return binaryPrefix + r.Kind + "-" + r.Name }

func (r Ref) valid() error {
	if !slices.Contains(kinds(), r.Kind) {
		return fmt.Errorf("plugin %q: unknown kind %q, want %s", r, r.Kind, strings.Join(kinds(), " or "))
	}
	if len(r.Name) > 40 || !namePattern.MatchString(r.Name) {
		return fmt.Errorf("plugin %q: the name must be lower case letters, digits and dashes, a letter first, at most 40", r)
	}
	return nil
}

func kinds() []string { return []string{plugin.KindTransport, plugin.KindWorld} }

// refOfBinary is the inverse of Ref.Binary; ok is false for the name of a file
// that is no plugin.
func refOfBinary(file string) (ref Ref, ok bool) {
	rest, ok := strings.CutPrefix(file, binaryPrefix)
	if !ok {
		return Ref{}, false
	}
	kind, name, ok := strings.Cut(rest, "-")
	ref = Ref{Kind: kind, Name: name}
	return ref, ok && ref.valid() == nil
}

// Override names the binary of one plugin. It is for development: the host
// warns whenever one is in use.
type Override struct {
	Ref Ref
	// Path is absolute.
	Path string
}

// ParseOverride reads KIND/NAME=PATH, the value of --plugin.
func ParseOverride(s string) (Override, error) {
	name, path, ok := strings.Cut(s, "=")
	if !ok {
		return Override{}, fmt.Errorf("--plugin %q: want KIND/NAME=PATH", s)
	}
	ref, err := ParseRef(name)
	if err != nil {
		return Override{}, fmt.Errorf("--plugin %q: %w", s, err)
	}
	if !filepath.IsAbs(path) {
		return Override{}, fmt.Errorf("--plugin %q: the path must be absolute", s)
	}
	return Override{Ref: ref, Path: filepath.Clean(path)}, nil
}
