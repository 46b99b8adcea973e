package gitmem

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/crucible-engine/crucible/sdk/contract"
	"github.com/crucible-engine/crucible/sdk/world"
)

// Adopt brings what changed in a fork since it was made into the parent's files,
// see world.World. It is left to Snapshot to record it. Paths that both sides
// changed in ways that do not fit together are conflicts; then the parent's
// files are not touched.
func (s *Store) Adopt(ctx context.Context, id, forkID string) (world.Adopted, error) {
	const op = "adopt"
	m, err := s.get(ctx, id)
	if err != nil {
		return world.Adopted{}, err
	}
	fork, err := s.get(ctx, forkID)
	if err != nil {
		return world.Adopted{}, err
	}
	if fork == m || fork.rec.Fork == nil || fork.rec.Fork.Parent != id {
		return world.Adopted{}, invalid(op, printable(forkID, 40), "is no fork of this world")
	}
	done, err := m.write(ctx, op)
	if err != nil {
		return world.Adopted{}, err
	}
	defer done()
	theirs, err := fork.hand(ctx, m.shadow.quarantine())
	if err != nil {
		return world.Adopted{}, classify(contract.KindInternal, op, fork.rec.Workspace, err)
	}
	adopted, err := m.adopt(ctx, fork.rec.Fork.Tree, theirs)
	return adopted, classify(contract.KindInternal, op, "", err)
}

// hand gives the tree of a fork's present state, and copies what the parent does
// not have of it to the parent's quarantine: once a state is recorded that has
// these objects, they are kept.
func (m *memory) hand(ctx context.Context, quarantine string) (string, error) {
	done, err := m.wait(ctx, "adopt")
	if err != nil {
		return "", err
	}
	defer done()
	tree, err := m.present(ctx, quarantine)
	if err != nil {
		return "", err
	}
	own := m.shadow.path("objects")
	names, err := objectFiles(own)
	if err != nil {
		return "", err
	}
	root, err := os.OpenRoot(quarantine)
	if err != nil {
		return "", err
	}
	defer root.Close()
	for _, name := range names {
		if err := makeParents(root, name); err != nil {
			return "", err
		}
		if err := copyFile(root, name, filepath.Join(own, name), 0o444); err != nil {
			return "", err
		}
	}
	return tree, nil
}

// refresh makes an index say of every file that is as it has it that it is: a
// merge does not look into those that are marked.
func (m *memory) refresh(ctx context.Context, index string) error {
	_, err := m.shadow.run(ctx, request{args: []string{"update-index", "-q", "--refresh"}, index: index})
	if e := asGitError(err); e != nil && e.exit.Code == 1 {
		return nil // some are not; the merge says so if it matters
	}
	return err
}

func (m *memory) adopt(ctx context.Context, base, theirs string) (world.Adopted, error) {
	if err := m.stage(ctx); err != nil {
		return world.Adopted{}, err
	}
	r, err := m.shadow.run(ctx, request{args: []string{"write-tree"}, index: workIndex})
	if err != nil {
		return world.Adopted{}, err
	}
	ours := r.text()
	merged, conflicts, err := m.merge(ctx, base, ours, theirs)
	if err != nil || len(conflicts) > 0 {
		return world.Adopted{Conflicts: conflicts}, err
	}
	begin := time.Now()
	if err := m.refresh(ctx, workIndex); err != nil {
		return world.Adopted{}, err
	}
	_, err = m.shadow.run(ctx, request{args: []string{"read-tree", "-m", "-u", ours, merged}, index: workIndex})
	if err == nil {
		err = m.shadow.watch(workIndex, begin)
	}
	if e := asGitError(err); e != nil && e.says("would be overwritten") {
		return world.Adopted{}, conflict("adopt", "", "%s", oneLine(e.stderr))
	}
	if err != nil {
		// Half of it may have been written: the next look must see what is there.
		m.dropWork()
		return world.Adopted{}, errors.Join(err)
	}
	return world.Adopted{Clean: true}, nil
}
