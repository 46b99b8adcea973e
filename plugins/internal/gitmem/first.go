package gitmem

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// becomeWhole notes that the shadow has every object of the tip. After a large
// first state there will be many objects: their directories are made now, as git
// would have.
func (m *memory) becomeWhole(r *roots, f fresh) error {
	m.rec.Whole = true
	if err := m.rec.write(m.dir); err != nil || len(f.packs) == 0 {
		return err
	}
	quarantine, err := openDir(m.shadow.quarantine())
	if err != nil {
		return err
	}
	defer quarantine.Close()
	return errors.Join(fanOut(quarantine, "."), fanOut(r.common, "objects"))
}

// takeOriginal takes over the commit that the workspace stands on: its files are
// in the shadow already, read from the workspace.
func (m *memory) takeOriginal(ctx context.Context) error {
	r, err := m.shadow.run(ctx, request{args: []string{"cat-file", "commit", m.states.tip.commit}, alternates: m.lent()})
	if err != nil {
		return err
	}
	id, err := m.shadow.writeObject("commit", r.out)
	if err == nil && id != m.states.tip.commit {
		err = fmt.Errorf("the workspace's repository is damaged: commit %s has the content of %s", shortID(m.states.tip.commit), shortID(id))
	}
	if err != nil || !bytes.Contains(r.out, []byte("\nparent ")) {
		return err
	}
	return m.shadow.endAt(m.states.tip.commit)
}

// endAt says that the shadow does not have the parents of a commit.
func (s *shadow) endAt(commit string) error {
	have, err := os.ReadFile(s.path("shallow"))
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	if strings.Contains(string(have), commit) {
		return nil
	}
	root, err := os.OpenRoot(s.path())
	if err != nil {
		return err
	}
	defer root.Close()
	return replaceFile(root, "shallow", append(have, commit+"\n"...), 0o600)
}

// showFirst copies the objects that the first state has and the original commit
// has not, as one pack.
func (m *memory) showFirst(ctx context.Context, r *roots, next point) error {
	if err := m.shadow.endAt(next.commit); err != nil {
		return err
	}
	ids := bytes.NewBufferString(next.commit + "\n" + next.tree + "\n")
	skip := false
	each := &records{each: func(s string) error {
		if skip = !skip; !skip {
			return nil // the path
		}
		mode, id, err := newSide(s)
		if err == nil && mode != "0" && mode != submoduleMode {
			ids.WriteString(id + "\n")
		}
		return err
	}}
	args := []string{"diff-tree", "-r", "-t", "-z", "--raw", "--no-renames", m.states.tip.tree, next.tree}
	if _, err := m.shadow.run(ctx, request{args: args, stdout: each, alternates: m.lent()}); err != nil {
		return err
	}
	dir := filepath.Join(m.dir, "first")
	defer removeTree(dir)
	if err := os.MkdirAll(filepath.Join(dir, "pack"), 0o700); err != nil {
		return err
	}
	// Packs of this state have left the quarantine already.
	read := []string{m.shadow.packing()}
	if _, err := m.shadow.run(ctx, request{args: []string{"pack-objects", "-q", filepath.Join(dir, "pack", "pack")}, stdin: ids, alternates: read}); err != nil {
		return err
	}
	names, err := objectFiles(dir)
	if err != nil {
		return err
	}
	return showObjects(r, dir, names)
}
