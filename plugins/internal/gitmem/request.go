package gitmem

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/crucible-engine/crucible/sdk/contract"
	"github.com/crucible-engine/crucible/sdk/world"
)

const opOpen = "open workspace"

// maxExclude bounds the list of the engine's own paths.
const maxExclude = 256

// logTo takes the lines of a call's log.
type logTo func(world.LogLine)

// say logs a line of ours.
func (l logTo) say(text string, args ...any) { l(world.LogLine{Line: fmt.Appendf(nil, text, args...)}) }

func checkRequest(req world.OpenRequest) error {
	if !filepath.IsAbs(req.Workspace) || filepath.Clean(req.Workspace) == "/" {
		return invalid(opOpen, printable(req.Workspace, 200), "want an absolute path other than /")
	}
	if strings.ContainsAny(req.Workspace, "\x00\n") {
		return invalid(opOpen, printable(req.Workspace, 200), "the path has a line end in it")
	}
	if !req.Attach && !filepath.IsAbs(req.ManifestDir) {
		return invalid(opOpen, "manifest directory", "want an absolute path")
	}
	if len(req.Exclude) > maxExclude {
		return invalid(opOpen, "exclude", "%d paths; the limit is %d", len(req.Exclude), maxExclude)
	}
	for _, e := range req.Exclude {
		if !filepath.IsLocal(e) || path.Clean(e) == "." || strings.ContainsAny(e, "\x00\n") {
			return invalid(opOpen, "exclude", "%q is no path inside the workspace", printable(e, 200))
		}
	}
	if req.Source != nil {
		return checkSource(*req.Source)
	}
	return nil
}

// checkSource refuses what git would take for an option, a command or a way to
// another program. The source comes from a manifest that nobody vouches for.
func checkSource(src world.Source) error {
	if (src.URL == "") == (src.Path == "") {
		return invalid(opOpen, "source", "want exactly one of url and path")
	}
	if src.Path != "" && !filepath.IsAbs(src.Path) {
		return invalid(opOpen, "source path", "want an absolute path")
	}
	if err := checkURL(src.URL); err != nil {
		return err
	}
	if src.Ref != "" && !validRef(src.Ref) {
		return invalid(opOpen, "source ref", "%q is no name of a branch, tag or commit", printable(src.Ref, 200))
	}
	return nil
}

// protocols that a clone may use. http and git's helpers that run programs are
// not among them.
var protocols = []string{"https", "ssh", "git", "file"}

func checkURL(address string) error {
	shown := redact(address)
	switch {
	case strings.HasPrefix(address, "-") || strings.ContainsFunc(address, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return invalid(opOpen, "source url", "%q is no address of a repository", shown)
	case strings.Contains(address, "::"):
		if i := strings.Index(address, "::"); !strings.ContainsAny(address[:i], "/@[:") {
			return invalid(opOpen, "source url", "%q: the helper %q is not allowed", shown, printable(address[:i], 40))
		}
	}
	if scheme, _, ok := strings.Cut(address, "://"); ok && !slices.Contains(protocols, strings.ToLower(scheme)) {
		return invalid(opOpen, "source url", "%q: protocol %q is not allowed; use one of %s", shown, printable(scheme, 40), strings.Join(protocols, ", "))
	}
	return nil
}

// redact is an address without the password or token in it.
func redact(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.User == nil {
		if scheme, rest, ok := strings.Cut(address, "://"); ok {
			if at := strings.LastIndex(rest, "@"); at >= 0 {
				return printable(scheme+"://…"+rest[at:], 300)
			}
		}
		return printable(address, 300)
	}
	u.User = nil
	return printable(u.String(), 300)
}

// validRef follows git's rules for the names of references, and is stricter:
// no revision syntax, no leading dash.
func validRef(ref string) bool {
	if len(ref) > 1000 || strings.HasPrefix(ref, "-") || strings.HasPrefix(ref, "/") || strings.HasSuffix(ref, "/") ||
		strings.HasSuffix(ref, ".") || strings.Contains(ref, "..") || strings.Contains(ref, "//") ||
		strings.Contains(ref, "@{") || ref == "@" {
		return false
	}
	for _, part := range strings.Split(ref, "/") {
		if strings.HasPrefix(part, ".") || strings.HasSuffix(part, ".lock") {
			return false
		}
	}
	return !strings.ContainsFunc(ref, func(r rune) bool { return r <= ' ' || r == 0x7f || strings.ContainsRune(`~^:?*[\`, r) })
}

// realPath resolves the symbolic links of the part of a path that exists.
func realPath(p string) (string, error) {
	p = filepath.Clean(p)
	real, err := filepath.EvalSymlinks(p)
	if err == nil {
		return real, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	if _, err := os.Lstat(p); err == nil {
		return "", fmt.Errorf("%s is a symbolic link that leads nowhere", p)
	}
	parent, err := realPath(filepath.Dir(p))
	return filepath.Join(parent, filepath.Base(p)), err
}

// union is a with what b adds, without changing either.
func union(a, b []string) []string {
	out := slices.Clone(a)
	for _, s := range b {
		if s = path.Clean(s); !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// workspaceFault is how a fault of the workspace's path is reported.
func workspaceFault(p string, err error) error {
	return contract.NewError(contract.KindInvalid, opOpen, p, err)
}
