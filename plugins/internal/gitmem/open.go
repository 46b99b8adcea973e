package gitmem

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/crucible-engine/crucible/sdk/contract"
	"github.com/crucible-engine/crucible/sdk/world"
)

// openWith is open beside the check of git's version. A workspace that is not
// known yet waits for it: a git that is too old must not have made anything.
func (m *memory) openWith(ctx context.Context, req world.OpenRequest, log logTo, checked func() error) (world.Opened, error) {
	if _, err := os.Stat(filepath.Join(m.dir, recordFile)); err != nil {
		if err := checked(); err != nil {
			return world.Opened{}, err
		}
	}
	opened, err := m.open(ctx, req, log)
	if old := checked(); old != nil {
		if err == nil {
			old = errors.Join(old, m.release(ctx))
		}
		return world.Opened{}, old
	}
	return opened, err
}

// open prepares the workspace and the memory of it.
func (m *memory) open(ctx context.Context, req world.OpenRequest, log logTo) (world.Opened, error) {
	m.rec.Workspace = req.Workspace
	if err := m.acquire(ctx); err != nil {
		return world.Opened{}, err
	}
	opened, err := m.prepare(ctx, req, log)
	if err != nil {
		return world.Opened{}, errors.Join(err, m.states.close(), m.lock.Unlock())
	}
	m.users = 1
	return opened, nil
}

func (m *memory) prepare(ctx context.Context, req world.OpenRequest, log logTo) (world.Opened, error) {
	workspace, err := realPath(req.Workspace)
	if err != nil {
		return world.Opened{}, workspaceFault(req.Workspace, err)
	}
	old, err := readRecord(m.dir)
	if err != nil {
		return world.Opened{}, err
	}
	if old != nil && old.Workspace != workspace && req.Attach {
		return world.Opened{}, invalid(opOpen, req.Workspace, "leads to %s; it was opened as %s", workspace, old.Workspace)
	}
	k := maker{memory: m, workspace: workspace, req: req, log: log}
	fresh, err := m.makeWorkspace(ctx, k)
	if err != nil {
		return world.Opened{}, err
	}
	if old != nil && (fresh || old.Workspace != workspace || old.Fork != nil && !req.Attach) {
		old = nil
	}
	if old == nil {
		if err := m.forget(); err != nil {
			return world.Opened{}, err
		}
	}
	if req.Attach && old != nil {
		err = m.resume(ctx, old, req)
	} else if err = m.mend(ctx, old, req); err == nil {
		err = m.adoptWorkspace(ctx, workspace, old, req, log)
	}
	if err != nil {
		return world.Opened{}, err
	}
	return world.Opened{WorldID: m.id, Fresh: fresh, Commit: m.states.tip.commit}, nil
}

// makeWorkspace makes the workspace when it is missing.
func (m *memory) makeWorkspace(ctx context.Context, k maker) (fresh bool, err error) {
	missing, err := k.missing()
	switch {
	case err != nil:
		return false, workspaceFault(k.workspace, err)
	case !missing:
		return false, nil
	case k.req.Attach:
		return false, notFound(opOpen, k.workspace, "there is no workspace to attach to")
	}
	return true, classify(contract.KindInvalid, "make workspace", k.workspace, k.make(ctx))
}

// forget clears everything that was known about an earlier workspace.
func (m *memory) forget() error {
	for _, name := range []string{shadowDir, quarantineDir, recordFile, statesFile} {
		if err := removeTree(m.dir + "/" + name); err != nil {
			return err
		}
	}
	return nil
}

// resume goes on with what an earlier process knew.
func (m *memory) resume(ctx context.Context, old *record, req world.OpenRequest) error {
	m.rec = *old
	m.rec.Exclude = union(old.Exclude, req.Exclude)
	m.visible = visible{workspace: old.Workspace, gitDir: old.GitDir, commonDir: old.CommonDir, gitFile: old.GitFile}
	if err := m.startShadow(); err != nil {
		return err
	}
	m.rec.Closed = false
	m.indexTree = m.treeOfIndex(ctx)
	return m.settle()
}

// mend makes the visible repository agree with the memory once more when an
// engine was killed and an agent's last turn left no repository that could be
// taken as it is.
func (m *memory) mend(ctx context.Context, old *record, req world.OpenRequest) error {
	if old == nil || old.Closed || !old.Whole {
		return nil
	}
	if v, there, err := findVisible(old.Workspace); err == nil && there && v.gitFile == old.GitFile {
		if r, err := v.open(); err == nil {
			defer r.close()
			if _, _, err := r.head(); err == nil {
				return nil
			}
		}
	}
	err := m.resume(ctx, old, req)
	if err == nil {
		err = m.mirror(ctx)
	}
	return errors.Join(err, m.states.close())
}

// startShadow opens the shadow repository, made when it is missing, without
// anything that was not recorded.
func (m *memory) startShadow() error {
	m.sweep = newSweeper(m.rec.Workspace, m.notOurs)
	m.calm = look{}
	m.sealed = sealState{}
	m.harmless = map[string]bool{}
	m.shadow = &shadow{git: m.store.git, dir: m.dir, workspace: m.rec.Workspace, format: m.rec.Format, emptied: map[string]stamp{}, watched: watches{}, dirty: true}
	if m.rec.Fork != nil {
		m.shadow.borrowed = m.rec.Fork.Objects
	}
	if err := m.shadow.create(); err != nil {
		return err
	}
	if err := m.shadow.distrustRecent(mainIndex); err != nil {
		_ = os.Remove(m.shadow.path(mainIndex)) // it is made again
	}
	m.dropWork()
	if err := m.shadow.clearQuarantine(); err != nil {
		return err
	}
	packs, err := os.ReadDir(m.shadow.path("objects", "pack"))
	if err != nil {
		return err
	}
	m.shadow.packs = len(packs) / 2
	m.states, err = openStates(m.dir)
	return err
}

// treeOfIndex is the tree of the main index, empty when that is missing or
// damaged; it is removed then.
func (m *memory) treeOfIndex(ctx context.Context) string {
	if _, err := os.Lstat(m.shadow.path(mainIndex)); err != nil {
		return ""
	}
	tree, err := m.shadow.ask(ctx, "write-tree")
	if err != nil {
		_ = os.Remove(m.shadow.path(mainIndex))
		return ""
	}
	return tree
}

// settle writes what is to be ignored, in both repositories.
func (m *memory) settle() error {
	text := withPatterns(string(m.rec.Seal["info/exclude"].Data), m.rec.patterns())
	m.rec.Seal["info/exclude"] = sealedFile{Mode: 0o644, Data: []byte(text)}
	if err := m.shadow.ignore(text); err != nil {
		return err
	}
	// What counts as a file of the workspace may be other than before.
	m.sweep, m.calm = newSweeper(m.rec.Workspace, m.notOurs), look{}
	if err := m.rec.write(m.dir); err != nil {
		return err
	}
	return m.reseal()
}

// adoptWorkspace takes a workspace as it is: its repository, or one made for it,
// and the commit that it stands on.
func (m *memory) adoptWorkspace(ctx context.Context, workspace string, old *record, req world.OpenRequest, log logTo) error {
	m.rec = record{Workspace: workspace, Format: sha1Format, Exclude: union(nil, req.Exclude), Borrows: req.Attach && old == nil}
	v, there, err := findVisible(workspace)
	if err != nil {
		return workspaceFault(workspace, err)
	}
	m.visible = v
	m.rec.GitDir, m.rec.CommonDir, m.rec.GitFile = v.gitDir, v.commonDir, v.gitFile
	if !there {
		if err := initVisible(v); err != nil {
			return workspaceFault(workspace, err)
		}
	}
	r, err := v.open()
	if err != nil {
		return workspaceFault(workspace, err)
	}
	defer r.close()
	if err := m.takeFurniture(r, old); err != nil {
		return workspaceFault(workspace, err)
	}
	head, index, err := m.look(ctx, r, old)
	if err != nil {
		return err
	}
	if err := m.stand(ctx, head, old); err != nil {
		return err
	}
	if err := m.survey(ctx, index, log); err != nil {
		return err
	}
	return m.settle()
}

// look reads the visible repository, and beside that the index of a shadow that
// is there already.
func (m *memory) look(ctx context.Context, r *roots, old *record) (position, *indexed, error) {
	if old == nil {
		head, err := m.readVisible(ctx, r)
		if err != nil {
			return head, nil, workspaceFault(m.rec.Workspace, err)
		}
		return head, &indexed{}, m.startShadow()
	}
	m.rec.Format = old.Format
	if err := m.startShadow(); err != nil {
		return position{}, nil, err
	}
	begun := m.startIndex(ctx, old)
	head, err := m.readVisible(ctx, r)
	index := <-begun
	if err != nil {
		return head, nil, workspaceFault(m.rec.Workspace, err)
	}
	if m.rec.Format != old.Format { // a repository made anew
		if err := errors.Join(m.states.close(), m.forget()); err != nil {
			return head, nil, err
		}
		return head, &indexed{}, m.startShadow()
	}
	m.indexTree = index.tree
	return head, index, nil
}

// visibleConfig is what git init would say.
const visibleConfig = "[core]\n\tbare = false\n\tfilemode = true\n\tlogallrefupdates = true\n"

// initVisible makes the repository of a workspace that has none.
func initVisible(v visible) error {
	workspace, err := os.OpenRoot(v.workspace)
	if err != nil {
		return err
	}
	defer workspace.Close()
	if err := workspace.Mkdir(".git", 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	git, err := workspace.OpenRoot(".git")
	if err != nil {
		return err
	}
	defer git.Close()
	return skeleton(git, sha1Format.extensions()+visibleConfig, headText("refs/heads/main", ""))
}

// takeFurniture seals the repository as it is. When the last process did not
// let go of it in order, an agent may have had the last word: then the earlier
// seal stays.
func (m *memory) takeFurniture(r *roots, old *record) (err error) {
	if old != nil && !old.Closed && old.Seal != nil {
		m.rec.Seal, m.rec.Replaces = old.Seal, old.Replaces
		return m.rec.Seal.restore(r, sealState{})
	}
	_, statErr := r.common.Lstat(replaceRefs)
	m.rec.Replaces = statErr == nil
	m.rec.Seal, err = takeSeal(r)
	return err
}
