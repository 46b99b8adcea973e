package gitmem

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/crucible-engine/crucible/sdk/contract"
)

// stand makes the tip the commit that the visible repository stands on, and the
// main index agree with it.
func (m *memory) stand(ctx context.Context, head position, old *record) error {
	m.rec.Whole = false
	if head.commit == "" {
		if err := m.states.move(point{}); err != nil {
			return err
		}
		return m.seed(ctx, m.rec.Format.emptyTree())
	}
	if old != nil && old.Whole && head.commit == m.states.tip.commit {
		m.rec.Whole, m.rec.Original = true, old.Original
		return m.seed(ctx, m.states.tip.tree)
	}
	r, err := m.shadow.run(ctx, request{args: []string{"rev-parse", "--verify", "--quiet", head.commit + "^{tree}"}, alternates: []string{m.visible.objects()}})
	if err != nil {
		if asGitError(err) != nil {
			err = fmt.Errorf("the workspace's repository does not have the commit %s that its HEAD names", shortID(head.commit))
		}
		return classify(contract.KindInvalid, opOpen, m.rec.Workspace, err)
	}
	if err := m.states.move(point{commit: head.commit, tree: r.text()}); err != nil {
		return err
	}
	return m.seed(ctx, m.states.tip.tree)
}

// seed changes the main index from the tree that it has to another one. What is
// new in it carries no times, so that the next look reads those files: the
// shadow gets every object from the files themselves and never from the visible
// repository.
func (m *memory) seed(ctx context.Context, tree string) error {
	from := m.indexTree
	if from == "" {
		from = m.rec.Format.emptyTree()
	}
	if from == tree {
		return nil
	}
	list := filepath.Join(m.dir, "seed")
	defer os.Remove(list)
	if err := m.listChanges(ctx, from, tree, list); err != nil {
		return err
	}
	f, err := os.Open(list)
	if err != nil {
		return err
	}
	defer f.Close()
	m.indexTree = ""
	_, err = m.shadow.run(ctx, request{args: []string{"update-index", "-z", "--index-info"}, stdin: f})
	return err
}

// listChanges writes what leads from one tree to another, as update-index reads
// it.
func (m *memory) listChanges(ctx context.Context, from, to, file string) (err error) {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	var out bytes.Buffer
	flush := func(limit int) error {
		if out.Len() < limit {
			return nil
		}
		_, err := out.WriteTo(f)
		return err
	}
	header := ""
	each := &records{each: func(s string) error {
		if header == "" {
			header = s
			return nil
		}
		mode, id, err := newSide(header)
		if err != nil {
			return err
		}
		header = ""
		fmt.Fprintf(&out, "%s %s\t%s\x00", mode, id, s)
		return flush(1 << 20)
	}}
	_, err = m.shadow.run(ctx, request{
		args:   []string{"diff-tree", "-r", "-z", "--raw", "--no-renames", from, to},
		stdout: each, alternates: []string{m.visible.objects()},
	})
	if err != nil {
		return fmt.Errorf("list the files of the workspace's commit: %w", err)
	}
	return flush(0)
}

// newSide takes mode and object of the new side out of a raw difference.
func newSide(header string) (mode, id string, err error) {
	f := strings.Fields(header)
	if len(f) != 5 || !strings.HasPrefix(f[0], ":") {
		return "", "", fmt.Errorf("unexpected line %q", printable(header, 100))
	}
	if f[1] == "000000" {
		return "0", f[3], nil
	}
	return f[1], f[3], nil
}

const submoduleMode = "160000"

// indexed is what the main index was found to hold.
type indexed struct {
	tree    string   // empty when that is not known
	modules []string // the paths of submodules
}

// startIndex looks at the main index in the background. A whole memory without
// submodules never gets any: a repository inside the workspace is stored as
// plain files.
func (m *memory) startIndex(ctx context.Context, old *record) <-chan *indexed {
	out := make(chan *indexed, 1)
	go func() {
		tree := make(chan string, 1)
		go func() { tree <- m.treeOfIndex(ctx) }()
		var modules []string
		var err error
		if !old.Whole || len(old.Submodules) > 0 {
			modules, err = m.indexedModules(ctx)
		}
		i := &indexed{tree: <-tree, modules: modules}
		if err != nil {
			i.tree = "" // what was listed does not count
		}
		out <- i
	}()
	return out
}

func (m *memory) indexedModules(ctx context.Context) (modules []string, err error) {
	each := &records{each: func(s string) error {
		if entry, p, _ := strings.Cut(s, "\t"); strings.HasPrefix(entry, submoduleMode+" ") {
			modules = append(modules, p)
		}
		return nil
	}}
	_, err = m.shadow.run(ctx, request{args: []string{"ls-files", "-s", "-z"}, stdout: each})
	return modules, err
}

// survey notes what is in the workspace that no state will hold: submodules,
// nested repositories, sockets and pipes. What was found in the index before
// holds when the index is still the same.
func (m *memory) survey(ctx context.Context, before *indexed, log logTo) error {
	modules := before.modules
	if before.tree == "" || before.tree != m.indexTree {
		var err error
		if modules, err = m.indexedModules(ctx); err != nil {
			return err
		}
	}
	m.rec.Submodules = nil
	for _, p := range modules {
		filled := !isEmptyDir(filepath.Join(m.rec.Workspace, filepath.FromSlash(p)))
		if filled {
			log.say("submodule %s is checked out: what changes in it is neither recorded nor undone", printable(p, 200))
		}
		m.rec.Submodules = append(m.rec.Submodules, submodule{Path: p, Filled: filled})
	}
	l, err := m.sweep.walk(ctx)
	if err != nil {
		return err
	}
	m.rec.Strange = append(pathsOf(l.found, special), pathsOf(l.found, repository)...)
	m.rec.Ignores = pathsOf(l.found, ignoreFile)
	return nil
}

// isEmptyDir reports whether a directory holds nothing; one that is missing does.
func isEmptyDir(p string) bool {
	f, err := os.Open(p)
	if err != nil {
		return true
	}
	defer f.Close()
	names, _ := f.Readdirnames(1)
	return len(names) == 0
}
