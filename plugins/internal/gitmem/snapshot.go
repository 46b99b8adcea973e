package gitmem

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/crucible-engine/crucible/sdk/contract"
	"github.com/crucible-engine/crucible/sdk/world"
)

// Snapshot records the present state (C-WORLD). When it is that of the tip, the
// tip is the answer and nothing is written.
func (m *Memory) Snapshot(ctx context.Context, req world.SnapshotRequest) (world.Snapshot, error) {
	const op = "record the workspace"
	done, err := m.write(ctx, op)
	if err != nil {
		return world.Snapshot{}, err
	}
	defer done()
	snap, err := m.snapshot(ctx, req.Label)
	return snap, classify(contract.KindInternal, op, "", err)
}

func (m *Memory) snapshot(ctx context.Context, label string) (world.Snapshot, error) {
	if err := m.stage(ctx); err != nil {
		return world.Snapshot{}, err
	}
	tree, stat, err := m.describe(ctx)
	if err != nil {
		return world.Snapshot{}, err
	}
	next := point{Commit: m.tip.Commit, Tree: tree}
	if changed := tree != m.tip.Tree || m.tip.Commit == ""; changed {
		next.Commit, err = m.shadow.writeObject("commit", commit{
			tree: tree, parent: m.tip.Commit, name: m.rec.Name, email: m.rec.Email, at: time.Now(), label: label,
		}.encode())
	} else if !m.rec.Whole {
		err = m.takeOriginal(ctx)
	}
	if err != nil {
		return world.Snapshot{}, err
	}
	changed := next != m.tip
	if err := m.record(ctx, next); err != nil {
		return world.Snapshot{}, err
	}
	if !changed {
		stat = ""
	}
	return world.Snapshot{Token: next.Commit, Commit: next.Commit, Changed: changed, Shortstat: stat}, nil
}

// describe gives the tree of the work index and how it differs from the tip's.
// Neither question changes the answer to the other.
func (m *Memory) describe(ctx context.Context) (tree, stat string, err error) {
	base := m.tip.Tree
	if base == "" {
		base = m.shadow.format.emptyTree()
	}
	type answer struct {
		text string
		err  error
	}
	stats := make(chan answer, 1)
	go func() {
		r, err := m.shadow.run(ctx, request{
			args:  []string{"diff-index", "--cached", "--shortstat", "--find-renames", "-l200", base},
			index: workIndex, alternates: m.lent(),
		})
		stats <- answer{r.text(), err}
	}()
	written, err := m.shadow.run(ctx, request{args: []string{"write-tree"}, index: workIndex})
	s := <-stats
	if err := errors.Join(err, s.err); err != nil {
		return "", "", err
	}
	return written.text(), s.text, m.shadow.compact(ctx)
}

// record makes a state that lies in the work index and the quarantine the tip.
// Killed in between it leaves the old tip; what is in the shadow by then does
// no harm.
func (m *Memory) record(ctx context.Context, next point) error {
	T0 := time.Now()
	lap := func(n string) { if os.Getenv("GMTRACE") != "" { fmt.Fprintf(os.Stderr, "   %s %v\n", n, time.Since(T0)) }; T0 = time.Now() }
	names, err := m.shadow.fresh()
	lap("fresh")
	if err != nil {
		return err
	}
	if next != m.tip || m.rec.Whole {
		if err := m.show(ctx, names, next); err != nil {
			return err
		}
	}
	lap("show")
	if err := m.shadow.keep(names); err != nil {
		return err
	}
	lap("keep")
	if err := m.shadow.hold(next.Commit); err != nil {
		return err
	}
	lap("hold")
	m.indexTree = ""
	if err := os.Rename(m.shadow.path(workIndex), m.shadow.path(mainIndex)); err != nil && !os.IsNotExist(err) {
		return err
	}
	if err := m.moveTip(next); err != nil {
		return err
	}
	lap("tip")
	m.indexTree = next.Tree
	if !m.rec.Whole {
		m.rec.Whole = true
		if err := m.rec.write(m.dir); err != nil {
			return err
		}
	}
	err = m.mirror(ctx)
	lap("mirror")
	err = errors.Join(err, m.shadow.clearQuarantine())
	lap("clear")
	return err
}

func (m *Memory) moveTip(next point) error {
	if next == m.tip {
		return nil
	}
	if err := next.write(m.dir); err != nil {
		return err
	}
	m.tip = next
	return nil
}

// hold makes a recorded state one that Restore knows.
func (s *shadow) hold(commit string) error {
	root, err := os.OpenRoot(s.path())
	if err != nil {
		return err
	}
	defer root.Close()
	return writeRef(root, path.Join(refsDir, commit), commit)
}

// takeOriginal takes over the commit that the workspace stands on: its files are
// in the shadow already, read from the workspace.
func (m *Memory) takeOriginal(ctx context.Context) error {
	r, err := m.shadow.run(ctx, request{args: []string{"cat-file", "commit", m.tip.Commit}, alternates: m.lent()})
	if err != nil {
		return err
	}
	id, err := m.shadow.writeObject("commit", r.out)
	if err == nil && id != m.tip.Commit {
		err = fmt.Errorf("the workspace's repository is damaged: commit %s has the content of %s", shortID(m.tip.Commit), shortID(id))
	}
	if err != nil || !bytes.Contains(r.out, []byte("\nparent ")) {
		return err
	}
	return m.shadow.endAt(m.tip.Commit)
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

// show copies what is new to the visible repository. The first state on top of
// an existing commit is special: most of its files are there already.
func (m *Memory) show(ctx context.Context, names []string, next point) error {
	if !m.rec.Whole && m.tip.Commit != "" {
		if err := m.shadow.endAt(next.Commit); err != nil {
			return err
		}
		return m.showFirst(ctx, next)
	}
	r, err := m.openVisible()
	if err != nil {
		return err
	}
	defer r.close()
	return showObjects(r, m.shadow.quarantine(), names)
}

// showFirst copies the objects that the first state has and the original commit
// has not, as one pack.
func (m *Memory) showFirst(ctx context.Context, next point) error {
	ids := bytes.NewBufferString(next.Commit + "\n" + next.Tree + "\n")
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
	args := []string{"diff-tree", "-r", "-t", "-z", "--raw", "--no-renames", m.tip.Tree, next.Tree}
	if _, err := m.shadow.run(ctx, request{args: args, stdout: each, alternates: m.lent()}); err != nil {
		return err
	}
	dir := filepath.Join(m.dir, "first")
	defer removeTree(dir)
	if err := os.MkdirAll(filepath.Join(dir, "pack"), 0o700); err != nil {
		return err
	}
	if _, err := m.shadow.run(ctx, request{args: []string{"pack-objects", "-q", filepath.Join(dir, "pack", "pack")}, stdin: ids}); err != nil {
		return err
	}
	names, err := objectFiles(dir)
	if err != nil {
		return err
	}
	r, err := m.openVisible()
	if err != nil {
		return err
	}
	defer r.close()
	return showObjects(r, dir, names)
}
