package gitmem

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/crucible-engine/crucible/sdk/contract"
	"github.com/crucible-engine/crucible/sdk/world"
)

const opFork = "fork"

// Fork makes a disposable copy of a recorded state, see world.World. The fork's
// repository has its own copy of every object: its agent can harm neither the
// parent nor another fork. The shadow of the fork reads the parent's objects and
// writes its own.
func (s *Store) Fork(ctx context.Context, id string, req world.ForkRequest) (world.Forked, error) {
	m, err := s.get(ctx, id)
	if err != nil {
		return world.Forked{}, err
	}
	if !filepath.IsAbs(req.Dir) || strings.ContainsAny(req.Dir, "\x00\n") {
		return world.Forked{}, invalid(opFork, printable(req.Dir, 200), "want an absolute path")
	}
	key := keyOf(req.Dir)
	sl, leave, err := s.enter(ctx, key)
	if err != nil {
		return world.Forked{}, err
	}
	defer leave()
	if sl.memory != nil {
		return world.Forked{}, conflict(opFork, req.Dir, "a world is open there")
	}
	// The parent's packs must not be joined while they are copied.
	done, err := m.wait(ctx, opFork)
	if err != nil {
		return world.Forked{}, err
	}
	defer done()
	child := newMemory(s, key, filepath.Join(s.dir, key))
	if err := child.begin(ctx, m, req); err != nil {
		return world.Forked{}, classify(contract.KindInternal, opFork, req.Dir, err)
	}
	s.mu.Lock()
	sl.memory = child
	s.mu.Unlock()
	return world.Forked{WorldID: key, Workspace: child.rec.Workspace}, nil
}

// forkPoint is the state that a fork stands on and the tree of its files. What
// the shadow does not have of the tree is copied to the object directory to.
func (m *memory) forkPoint(ctx context.Context, req world.ForkRequest, to string) (point, string, error) {
	from, err := m.find(ctx, opFork, req.Token)
	if err != nil || !req.IncludeUncommitted {
		return from, from.tree, err
	}
	tree, err := m.present(ctx, to)
	return from, tree, err
}

// present is the tree of the files as they are now. What the shadow does not
// have of it is copied to the object directory to.
func (m *memory) present(ctx context.Context, to string) (string, error) {
	if err := m.stage(ctx); err != nil {
		return "", err
	}
	r, err := m.shadow.run(ctx, request{args: []string{"write-tree"}, index: workIndex})
	if err != nil {
		return "", err
	}
	f, err := m.shadow.fresh()
	if err != nil {
		return "", err
	}
	return r.text(), m.shadow.export(ctx, f, to)
}

// export copies the fresh objects to another object directory.
func (s *shadow) export(ctx context.Context, f fresh, to string) error {
	root, err := openDir(to)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := root.MkdirAll("pack", 0o700); err != nil {
		return err
	}
	if len(f.loose) > 0 {
		if _, err := s.run(ctx, request{args: []string{"pack-objects", "-q", filepath.Join(to, "pack", "pack")}, stdin: f.ids()}); err != nil {
			return err
		}
	}
	for _, p := range f.packs {
		for _, suffix := range []string{".pack", ".idx"} {
			if err := copyFile(root, p+suffix, filepath.Join(s.quarantine(), p+suffix), 0o444); err != nil {
				return err
			}
		}
	}
	return nil
}

// begin makes the files and both repositories of a fork.
func (m *memory) begin(ctx context.Context, parent *memory, req world.ForkRequest) (err error) {
	dir := req.Dir
	if _, err := os.Lstat(dir); err == nil {
		return conflict(opFork, dir, "it exists already")
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o777); err != nil {
		return err
	}
	workspace, err := realPath(dir)
	if err != nil {
		return err
	}
	if err := m.acquire(ctx); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, m.states.close(), removeTree(workspace), removeTree(m.dir), m.lock.Unlock())
		}
	}()
	if err := m.forget(); err != nil {
		return err
	}
	from, tree, err := parent.forkPoint(ctx, req, filepath.Join(m.dir, shadowDir, "objects"))
	if err != nil {
		return err
	}
	if err := os.Mkdir(workspace, 0o777); err != nil {
		return err
	}
	m.describeFork(parent, workspace, tree)
	if err := m.rec.write(m.dir); err != nil { // from here on the files are known to be a fork's
		return err
	}
	if err := m.startShadow(); err != nil {
		return err
	}
	if err := m.fill(ctx, parent, from, tree); err != nil {
		return err
	}
	m.users = 1
	return nil
}

func (m *memory) describeFork(parent *memory, workspace, tree string) {
	git := filepath.Join(workspace, ".git")
	m.visible = visible{workspace: workspace, gitDir: git, commonDir: git}
	m.rec = record{
		Workspace: workspace, Format: parent.rec.Format, Branch: "refs/heads/main", GitDir: git, CommonDir: git,
		Name: parent.rec.Name, Email: parent.rec.Email, Exclude: parent.rec.Exclude, Whole: true, Seal: seal{},
		Fork: &forkRecord{
			Parent: parent.id, Tree: tree,
			Objects: append([]string{parent.shadow.path("objects")}, parent.shadow.borrowed...),
		},
	}
	for _, s := range parent.rec.Submodules {
		m.rec.Submodules = append(m.rec.Submodules, submodule{Path: s.Path})
	}
}

// fill writes the files, and makes the visible repository from the shadow.
func (m *memory) fill(ctx context.Context, parent *memory, from point, tree string) error {
	text := withPatterns(string(parent.rec.Seal["info/exclude"].Data), m.rec.patterns())
	m.rec.Seal["config"] = sealedFile{Mode: 0o644, Data: []byte(m.rec.Format.extensions() + visibleConfig)}
	m.rec.Seal["info/exclude"] = sealedFile{Mode: 0o644, Data: []byte(text)}
	if err := m.shadow.ignore(text); err != nil {
		return err
	}
	shallow, err := os.ReadFile(parent.shadow.path("shallow"))
	if err == nil {
		err = os.WriteFile(m.shadow.path("shallow"), shallow, 0o600)
	} else if os.IsNotExist(err) {
		err = nil
	}
	if err != nil {
		return err
	}
	if err := m.states.record(from); err != nil {
		return err
	}
	begin := time.Now()
	if _, err := m.shadow.ask(ctx, "read-tree", "--reset", "-u", tree); err != nil {
		return err
	}
	if err := m.shadow.watch(mainIndex, begin); err != nil {
		return err
	}
	m.indexTree = tree
	return m.mirror(ctx)
}

// findFork opens a fork that an earlier process made.
func (s *Store) findFork(ctx context.Context, id string) (*memory, error) {
	const op = "find world"
	if len(id) != 16 || !isHex(id) {
		return nil, notFound(op, printable(id, 40), "no such world")
	}
	dir := filepath.Join(s.dir, id)
	old, err := readRecord(dir)
	if err != nil || old == nil || old.Fork == nil {
		return nil, notFound(op, id, "no such world")
	}
	sl, leave, err := s.enter(ctx, id)
	if err != nil {
		return nil, err
	}
	defer leave()
	if sl.memory != nil {
		return sl.memory, nil
	}
	m := newMemory(s, id, dir)
	m.rec.Workspace = old.Workspace
	if err := m.acquire(ctx); err != nil {
		return nil, err
	}
	if err := m.resume(ctx, old, world.OpenRequest{}); err != nil {
		return nil, errors.Join(classify(contract.KindInternal, op, id, err), m.lock.Unlock())
	}
	m.users = 1
	s.mu.Lock()
	sl.memory = m
	s.mu.Unlock()
	return m, nil
}

// hasForks reports whether forks of a world are left that read its objects.
func (s *Store) hasForks(id string) bool {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return true
	}
	for _, e := range entries {
		r, err := readRecord(filepath.Join(s.dir, e.Name()))
		if err != nil || r != nil && r.Fork != nil && r.Fork.reads(s, id) {
			return true
		}
	}
	return false
}

// reads reports whether the fork reads the objects of a world: its parent's, or
// those of the parent's parent.
func (f *forkRecord) reads(s *Store, id string) bool {
	return slices.Contains(f.Objects, filepath.Join(s.dir, id, shadowDir, "objects"))
}
