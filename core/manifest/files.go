package manifest

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/crucible-engine/crucible/core/diag"
)

// textFile turns a key that names a text file into an absolute path, after a
// look at the file. An empty name stays empty.
func (p *pack) textFile(v value, name string) string {
	if name == "" {
		return ""
	}
	path := p.locate(name)
	if p.ofBase(path) {
		return path
	}
	if err := checkText(path); err != nil {
		v.fault("", "%s: %s", diag.Quote(name, shown), err)
	}
	return path
}

// relayFile turns [[agent.relay]].from_file into an absolute path. The file may
// be there, and readable, on the machine of the run alone; what stands in its
// place and never can be read is refused here.
func (p *pack) relayFile(v value, name string) string {
	path := p.locate(name)
	if p.ofBase(path) {
		return path
	}
	err := checkText(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission) {
		v.fault("", "%s: %s", diag.Quote(name, shown), err)
	}
	return path
}

// toolbox turns [agent].toolbox_dir into an absolute path, after a look at the
// directory and at what is left out of it.
func (p *pack) toolbox(t value, name string) string {
	if name == "" {
		if t.has("toolbox_exclude") && len(p.m.Agent.ToolboxExclude) > 0 {
			t.at("toolbox_exclude").fault("write toolbox_dir", "there is no toolbox that it could exclude from")
		}
		return ""
	}
	path := p.locate(name)
	if p.ofBase(path) {
		return path
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		t.at("toolbox_dir").fault("", "%s: %s", diag.Quote(name, shown), plain(err))
	case !info.IsDir():
		t.at("toolbox_dir").fault("", "%s is not a directory", diag.Quote(name, shown))
	default:
		excluded(t.at("toolbox_exclude"), path)
	}
	return path
}

// excluded holds the names of [agent].toolbox_exclude against the directory: one
// that is spelled wrong would leave in what was to be left out.
func excluded(v value, dir string) {
	var seen []string
	for i := range v.node.items {
		item := v.item(i)
		name := item.node.text
		if item.node.kind != kindString || strings.TrimSpace(name) == "" {
			continue // refused already
		}
		switch {
		case strings.Contains(name, "/") || name == "." || name == "..":
			item.fault("", "%s is not a name in the toolbox", diag.Quote(name, shown))
		case slices.Contains(seen, name):
			item.fault("", "%s is named twice", diag.Quote(name, shown))
		default:
			if _, err := os.Lstat(filepath.Join(dir, name)); err != nil {
				item.fault("", "%s in the toolbox: %s", diag.Quote(name, shown), plain(err))
			}
		}
		seen = append(seen, name)
	}
}
