package manifest

import (
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/crucible-engine/crucible/core/diag"
)

// Bounds on the injects of a manifest, strings expanded.
const (
	MaxInjects = 10_000
	// MaxInjectBytes bounds the size of all sources together.
	MaxInjectBytes = 4 << 30
)

// injects reads [workspace].inject: tables name one file each, strings expand
// to all files that they match (C-MANIFEST).
func (p *pack) injects(array value) {
	l := injectList{p: p, seen: map[string]value{}, parents: map[string]value{}}
	for i := range array.node.items {
		v := array.item(i)
		switch v.node.kind {
		case kindString:
			l.addString(v)
		case kindTable:
			l.addTable(v)
		default:
			v.fault("write a path or a table with src and dst", "want a string or a table, have %s", v.node.kind)
		}
		if l.full {
			return
		}
	}
	p.m.Workspace.Inject = l.entries
}

// injectList collects entries and holds them against each other.
type injectList struct {
	p       *pack
	entries []Inject
	bytes   int64
	full    bool
	// seen maps destinations, and parents the directories above them, to the
	// entry that asked for them.
	seen, parents map[string]value
}

func (l *injectList) addTable(v value) {
	var src, dst string
	frozen := true
	v.read(text("src", &src), text("dst", &dst), flag("frozen", &frozen))
	for _, name := range []string{"src", "dst"} {
		if blank(v, name) {
			v.missing(name, "a table names src, relative to the manifest, and dst, relative to the workspace")
		}
	}
	if src == "" || dst == "" {
		return
	}
	clean, problem := destination(dst)
	if problem != "" {
		v.at("dst").fault("", "%s %s", diag.Quote(dst, shown), problem)
	}
	file := l.p.locate(src)
	if l.p.ofBase(file) {
		l.add(v.at("dst"), Inject{Src: file, Dst: clean, Frozen: frozen}, 0)
		return
	}
	f, info, err := OpenRegular(file)
	if err != nil {
		hint := ""
		if err == errDirectory {
			hint = "write the directory as a string to inject every file in it"
		}
		v.at("src").fault(hint, "%s: %s", diag.Quote(src, shown), err)
		return
	}
	f.Close() // It was only opened to see that it can be.
	if problem == "" {
		l.add(v.at("dst"), Inject{Src: file, Dst: clean, Frozen: frozen, Mode: info.Mode().Perm()}, info.Size())
	}
}

func (l *injectList) addString(v value) {
	pattern, ok := v.text(maxWord)
	if !ok || l.p.recorded() {
		return
	}
	found, err := l.p.expand(v, pattern)
	if err != nil {
		v.fault(err.hint, "%s %s", diag.Quote(pattern, shown), err.problem)
		return
	}
	for _, f := range found {
		if problem := destinationProblem(f.name); problem != "" {
			v.fault("", "%s, which %s matches, %s", diag.Quote(f.name, shown), diag.Quote(pattern, shown), problem)
			continue
		}
		l.add(v, Inject{Src: filepath.Join(l.p.m.Dir, f.name), Dst: f.name, Frozen: true, Mode: f.info.Mode().Perm()}, f.info.Size())
		if l.full {
			return
		}
	}
}

func (l *injectList) add(v value, e Inject, size int64) {
	if l.bytes += size; l.bytes > MaxInjectBytes || size > MaxInjectBytes {
		l.full = true
		v.fault("", "the injects hold more than %d bytes", int64(MaxInjectBytes))
		return
	}
	if len(l.entries) == MaxInjects {
		l.full = true
		v.fault("", "the injects are more than %d files", MaxInjects)
		return
	}
	if other, clash := l.clash(e.Dst); clash != "" {
		line, _ := other.doc.position(other.node.at)
		v.fault("", "%s %s (line %d)", diag.Quote(e.Dst, shown), clash, line)
		return
	}
	l.seen[e.Dst] = v
	for d := path.Dir(e.Dst); d != "."; d = path.Dir(d) {
		l.parents[d] = v
	}
	l.entries = append(l.entries, e)
}

// clash says how a destination cannot stand beside an earlier one.
func (l *injectList) clash(dst string) (value, string) {
	if other, ok := l.seen[dst]; ok {
		return other, "is the destination of two injects"
	}
	if other, ok := l.parents[dst]; ok {
		return other, "is a file here and a directory in another inject"
	}
	for d := path.Dir(dst); d != "."; d = path.Dir(d) {
		if other, ok := l.seen[d]; ok {
			return other, fmt.Sprintf("lies below %s, which is a file in another inject", diag.Quote(d, shown))
		}
	}
	return value{}, ""
}

// destination checks a dst of a table and cleans it.
func destination(dst string) (clean, problem string) {
	switch {
	case strings.HasSuffix(dst, "/"):
		return "", "names a directory, not a file"
	case path.IsAbs(dst):
		return "", "is absolute; it has to be relative to the workspace"
	case slices.Contains(strings.Split(dst, "/"), ".."):
		return "", `holds ".."; it has to stay in the workspace`
	}
	clean = path.Clean(dst)
	if clean == "." {
		return "", "names the workspace itself, not a file"
	}
	return clean, destinationProblem(clean)
}

// destinationProblem says why a clean relative path may not be written. Git's
// own directory is out of bounds: its configuration runs commands.
func destinationProblem(dst string) string {
	for part := range strings.SplitSeq(dst, "/") {
		if strings.EqualFold(part, ".git") {
			return `goes into a ".git"`
		}
		if len(part) > 255 {
			return "holds a name of more than 255 bytes"
		}
	}
	if len(dst) > 4000 {
		return "is longer than a path can be"
	}
	return ""
}

// match is one file that a string stands for.
type match struct {
	// name is relative to the manifest directory, with forward slashes.
	name string
	info fs.FileInfo
}
