package manifest

import (
	"errors"
	"io/fs"
	"os"
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
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		v.fault("", "%s: %s", diag.Quote(dir, shown), plain(err))
	case !info.IsDir():
		v.fault("", "%s is a file, not a directory", diag.Quote(dir, shown))
	}
}
