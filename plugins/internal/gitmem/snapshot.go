package gitmem

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/crucible-engine/crucible/sdk/contract"
	"github.com/crucible-engine/crucible/sdk/world"
)

// Snapshot records the present state of a world (C-WORLD), see world.World. The
// token is the commit. When the state is that of the tip, the tip is the answer
// and nothing is written.
func (s *Store) Snapshot(ctx context.Context, id string, req world.SnapshotRequest) (world.Snapshot, error) {
	const op = "record the workspace"
	m, done, err := s.write(ctx, id, op)
	if err != nil {
		return world.Snapshot{}, err
	}
	defer done()
	snap, err := m.snapshot(ctx, req.Label)
	return snap, classify(contract.KindInternal, op, "", err)
}

func (m *memory) snapshot(ctx context.Context, label string) (world.Snapshot, error) {
	if err := m.stage(ctx); err != nil {
		return world.Snapshot{}, err
	}
	tip := m.states.tip
	stat, next, err := m.workTree(ctx)
	switch {
	case err != nil:
	case next.tree != tip.tree || tip.commit == "":
		next.commit, err = m.shadow.writeObject("commit", commit{
			tree: next.tree, parent: tip.commit, name: m.rec.Name, email: m.rec.Email, at: time.Now(), label: label,
		}.encode())
	case !m.rec.Whole:
		err = m.takeOriginal(ctx)
	}
	if err == nil {
		err = m.record(ctx, next, stat.wait)
	}
	if err := errors.Join(err, stat.wait(), m.tidy(ctx)); err != nil {
		return world.Snapshot{}, err
	}
	snap := world.Snapshot{Token: next.commit, Commit: next.commit, Changed: next != tip}
	if snap.Changed {
		snap.Shortstat = stat.text
	}
	return snap, m.shadow.clearQuarantine()
}

// workTree is the state that the work index holds, on top of the tip, and the
// process that finds out how they differ. When the look before found nothing to
// stage both are known.
func (m *memory) workTree(ctx context.Context) (*stat, point, error) {
	tip := m.states.tip
	if m.unmoved && tip.commit != "" && m.indexTree == tip.tree {
		return noStat(), tip, nil
	}
	stat := m.startStat(ctx)
	r, err := m.shadow.run(ctx, request{args: []string{"write-tree"}, index: workIndex})
	return stat, point{commit: tip.commit, tree: r.text()}, err
}

// tidy joins the packs of the shadow now and then, unless forks read them.
func (m *memory) tidy(ctx context.Context) error {
	if m.shadow.packs <= maxPacks || m.store.hasForks(m.id) {
		return nil
	}
	return m.shadow.join(ctx)
}

// stat is a git process that finds out how the work index differs from the tip,
// beside what else is to be done. It reads the quarantine.
type stat struct {
	done chan struct{} // closed when text and err hold
	text string
	err  error
}

func (m *memory) startStat(ctx context.Context) *stat {
	base := m.states.tip.tree
	if base == "" {
		base = m.shadow.format.emptyTree()
	}
	s := &stat{done: make(chan struct{})}
	go func() {
		defer close(s.done)
		r, err := m.shadow.run(ctx, request{
			args:  []string{"diff-index", "--cached", "--shortstat", "--find-renames", "-l200", base},
			index: workIndex, alternates: m.lent(),
		})
		s.text, s.err = r.text(), err
	}()
	return s
}

// noStat is that of a state that differs in nothing.
func noStat() *stat {
	s := &stat{done: make(chan struct{})}
	close(s.done)
	return s
}

func (s *stat) wait() error {
	<-s.done
	return s.err
}

// record makes a state that lies in the work index and the quarantine the tip.
// The visible repository gets the objects first: what the shadow has, git will
// not write to the quarantine again. Killed in between it leaves the old tip.
// Before anything moves, it waits for whoever reads the quarantine.
func (m *memory) record(ctx context.Context, next point, wait func() error) error {
	var f fresh
	if unchanged := next == m.states.tip && m.rec.Whole; !unchanged {
		var err error
		if f, err = m.shadow.fresh(); err != nil {
			return err
		}
	}
	if len(f.packs) > 0 { // they are moved by what comes next
		if err := wait(); err != nil {
			return err
		}
	}
	r, packs, err := m.packAndOpen(ctx, f)
	if err != nil {
		return err
	}
	defer r.close()
	if err := wait(); err != nil {
		return err
	}
	if next != m.states.tip || m.rec.Whole {
		if err := m.show(ctx, r, f, packs, next); err != nil {
			return err
		}
	}
	if err := m.shadow.keep(packs); err != nil {
		return err
	}
	m.indexTree, m.calm = "", look{}
	if err := os.Rename(m.shadow.path(workIndex), m.shadow.path(mainIndex)); err != nil && !os.IsNotExist(err) {
		return err
	}
	m.shadow.copyWatch(workIndex, mainIndex)
	if err := m.states.record(next); err != nil {
		return err
	}
	m.indexTree = next.tree
	if !m.rec.Whole {
		if err := m.becomeWhole(r, f); err != nil {
			return err
		}
	}
	clear(m.harmless)
	if m.isPlain(m.looked) {
		m.calm = m.looked
	}
	return m.finishMirror(ctx, r)
}

// packAndOpen packs the fresh objects, while the visible repository is put in
// order up to its index.
func (m *memory) packAndOpen(ctx context.Context, f fresh) (*roots, []string, error) {
	type answer struct {
		files []string
		err   error
	}
	packed := make(chan answer, 1)
	go func() {
		files, err := m.shadow.packed(ctx, f)
		packed <- answer{files, err}
	}()
	r, err := m.beginMirror(workIndex)
	a := <-packed
	if err == nil && a.err != nil {
		r.close()
	}
	return r, a.files, errors.Join(err, a.err)
}

// show gives the visible repository the fresh objects: loose as git would write
// them, or when they are many as the packs that were made of them. The first
// state on top of an existing commit is special: most of its files are there
// already.
func (m *memory) show(ctx context.Context, r *roots, f fresh, packs []string, next point) error {
	if !m.rec.Whole && m.states.tip.commit != "" {
		return m.showFirst(ctx, r, next)
	}
	if len(f.loose) > showPacked {
		return showObjects(r, m.shadow.packing(), packs)
	}
	for _, p := range packs {
		if !slices.Contains(f.packs, strings.TrimSuffix(strings.TrimSuffix(p, ".pack"), ".idx")) {
			continue
		}
		if err := showObjects(r, m.shadow.packing(), []string{p}); err != nil {
			return err
		}
	}
	for _, name := range f.loose {
		if err := moveInto(r, filepath.Join(m.shadow.quarantine(), name), name); err != nil {
			return fmt.Errorf("show object %s: %w", name, err)
		}
	}
	m.shadow.dirty = false
	return nil
}
