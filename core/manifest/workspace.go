package manifest

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/crucible-engine/crucible/core/diag"
)

// workspace reads [workspace], which may be absent.
func (p *pack) workspace(t value) {
	w := &p.m.Workspace
	dir := "workspace"
	var injects value
	fields := []field{
		{name: "dir", read: func(v value) { dir = workspaceDir(v, dir) }},
		text("setup_cmd", &w.SetupCmd),
		timeout("setup_timeout", &w.SetupTimeout),
		{name: "inject", read: func(v value) {
			if v.is(kindArray, "") {
				injects = v
			}
		}},
	}
	t.read(append(fields, refused("artifact", "carry_forward")...)...)
	p.resolveWorkspace(t.at("dir"), dir)
	if injects.node != nil {
		p.injects(injects)
	}
}

func workspaceDir(v value, otherwise string) string {
	s, ok := v.text(maxString)
	if ok && strings.TrimSpace(s) == "" {
		v.fault(`write "." for the manifest's own directory`, "the string is empty")
	}
	if !ok || strings.TrimSpace(s) == "" {
		return otherwise
	}
	return s
}

// resolveWorkspace settles where the workspace is. The engine cleans the
// workspace on every restore, so the root of the file system cannot be one.
func (p *pack) resolveWorkspace(v value, dir string) {
	path, err := resolve(under(p.m.Dir, dir))
	if err != nil {
		v.fault("", "%s: %s", diag.Quote(dir, shown), plain(err))
		return
	}
	p.m.Workspace.Dir = path
	if path == "/" {
		v.fault("name a directory of its own", "the workspace would be the root of the file system")
		return
	}
	if slices.Contains(strings.Split(path, "/"), ".git") {
		v.fault("name a directory of its own", "the workspace would lie in a repository's own files")
		return
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		v.fault("", "%s: %s", diag.Quote(dir, shown), plain(err))
	case !info.IsDir():
		v.fault("", "%s is a file, not a directory", diag.Quote(dir, shown))
	case p.frozen == nil && !inside(p.m.Dir, path) && foreign(path):
		v.fault("run git init there if you mean it", "%s lies outside of the manifest's directory, is not empty and is no git repository", diag.Quote(dir, shown))
	}
}

// foreign reports whether a directory holds something and is no repository. The
// engine would make it one and put files into it: a mistyped path would turn a
// home or a system directory into a workspace.
func foreign(path string) bool {
	if _, err := os.Lstat(path + "/.git"); err == nil {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false // whoever opens it says why
	}
	defer f.Close()
	names, _ := f.Readdirnames(1)
	return len(names) > 0
}
