package gitmem

import (
	"context"
	"errors"
	"os"
	"path"
	"time"

	"github.com/crucible-engine/crucible/sdk/contract"
)

// Restore brings a recorded state of a world back exactly (C-WORLD) and gives
// its commit, see world.World. Files that the state's .gitignore matches stay,
// and so do the agent's directory and the engine's own files.
func (s *Store) Restore(ctx context.Context, id, token string) (string, error) {
	const op = "restore"
	m, done, err := s.write(ctx, id, op)
	if err != nil {
		return "", err
	}
	defer done()
	to, err := m.find(ctx, op, token)
	if err != nil {
		return "", err
	}
	return to.commit, classify(contract.KindInternal, op, to.commit, m.restore(ctx, to))
}

func (m *memory) restore(ctx context.Context, to point) error {
	if err := m.remakeWorkspace(); err != nil {
		return err
	}
	m.dropWork()
	err := m.putState(ctx, to)
	if err != nil && ctx.Err() == nil {
		// Whatever was in the way, permissions or a tree too deep to name most
		// likely: once more without it.
		if err = errors.Join(m.unlock(), removeDeep(ctx, m.rec.Workspace), m.shadow.heal()); err == nil {
			err = m.putState(ctx, to)
		}
	}
	if err == nil {
		err = m.leaveTip(to)
	}
	if err != nil {
		return err
	}
	return errors.Join(m.mirror(ctx), m.shadow.clearQuarantine())
}

// remakeWorkspace makes sure that there is a directory to restore to, and that it
// can be entered.
func (m *memory) remakeWorkspace() error {
	info, err := os.Lstat(m.rec.Workspace)
	if err == nil && info.IsDir() {
		return unlockDir(m.rec.Workspace)
	}
	if err == nil {
		if err := os.Remove(m.rec.Workspace); err != nil {
			return err
		}
	}
	return os.MkdirAll(m.rec.Workspace, 0o777)
}

// putState makes the files those of a state and removes what it does not have.
// When the names are those that the state has, nothing is to be removed.
func (m *memory) putState(ctx context.Context, to point) error {
	before, err := m.sweep.walk(ctx)
	if err != nil {
		return err
	}
	if m.indexTree == to.tree && before.same(m.calm) {
		return m.putFiles(ctx, to)
	}
	m.calm = look{}
	if err := m.putFiles(ctx, to); err != nil {
		return err
	}
	if err := m.removeIgnores(ctx, pathsOf(before.found, ignoreFile)); err != nil {
		return err
	}
	args := []string{"clean", "-q", "-ff", "-d"}
	for _, p := range m.rec.patterns() {
		args = append(args, "-e", p)
	}
	if _, err := m.shadow.ask(ctx, args...); err != nil {
		return err
	}
	if err := m.emptySubmodules(ctx); err != nil {
		return err
	}
	return m.removeStrange(ctx)
}

// putFiles makes the files those of a state. The main index tells which files
// may differ, and checkout-index looks at every one of them: unlike reset it
// sees a directory that was moved away and replaced by a link to itself.
func (m *memory) putFiles(ctx context.Context, to point) error {
	begin := time.Now()
	if m.indexTree != to.tree {
		m.indexTree = ""
		if _, err := m.shadow.ask(ctx, "reset", "-q", "--hard", to.commit); err != nil {
			return err
		}
		m.indexTree = to.tree
	}
	if _, err := m.shadow.ask(ctx, "checkout-index", "-q", "-f", "-a", "-u"); err != nil {
		return err
	}
	return m.shadow.watch(mainIndex, begin)
}

// leaveTip makes another state the tip. The visible repository keeps the old one
// by a reference: no branch need lead to it any more.
func (m *memory) leaveTip(to point) error {
	old := m.states.tip
	if old == to {
		return nil
	}
	if err := m.states.move(to); err != nil || old.commit == "" || !m.rec.Whole {
		return err
	}
	r, err := m.openVisible()
	if err != nil {
		return err
	}
	defer r.close()
	return writeRef(r.common, path.Join(refsDir, old.commit), old.commit)
}
