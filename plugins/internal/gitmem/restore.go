package gitmem

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/crucible-engine/crucible/sdk/contract"
)

// Restore brings a recorded state back exactly (C-WORLD) and gives its commit.
// Files that the state's .gitignore matches stay, and so do the agent's
// directory and the engine's own files.
func (m *Memory) Restore(ctx context.Context, token string) (string, error) {
	const op = "restore"
	done, err := m.write(ctx, op)
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

func (m *Memory) restore(ctx context.Context, to point) error {
	if err := m.remakeWorkspace(); err != nil {
		return err
	}
	m.dropWork()
	err := m.putState(ctx, to)
	if err != nil && ctx.Err() == nil {
		// Whatever was in the way, permissions most likely: once more without it.
		if err = errors.Join(m.unlock(), m.shadow.heal()); err == nil {
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

// remakeWorkspace makes sure that there is a directory to restore to.
func (m *Memory) remakeWorkspace() error {
	info, err := os.Lstat(m.rec.Workspace)
	if err == nil && info.IsDir() {
		return nil
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
func (m *Memory) putState(ctx context.Context, to point) error {
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
func (m *Memory) putFiles(ctx context.Context, to point) error {
	if m.indexTree != to.tree {
		m.indexTree = ""
		if _, err := m.shadow.ask(ctx, "reset", "-q", "--hard", to.commit); err != nil {
			return err
		}
		m.indexTree = to.tree
	}
	_, err := m.shadow.ask(ctx, "checkout-index", "-q", "-f", "-a", "-u")
	return err
}

// removeIgnores removes .gitignore files that are not the state's from the
// directories that are, unless they were there when the workspace was opened.
// One that ignores itself would outlive every discard and hide what is to be
// recorded. In a directory without files of the state it stays: tools put it
// into their caches.
func (m *Memory) removeIgnores(ctx context.Context, found []string) error {
	suspects := slices.DeleteFunc(found, func(p string) bool {
		return m.harmless[p] || slices.Contains(m.rec.Ignores, p) || m.inFilledSubmodule(p)
	})
	for batch := range slices.Chunk(suspects, maxArguments) {
		tracked, err := m.filesBeside(ctx, batch)
		if err != nil {
			return err
		}
		var remove []string
		for _, p := range batch {
			_, own := slices.BinarySearch(tracked, p)
			if own || !anyUnder(tracked, path.Dir(p)) {
				m.harmless[p] = true
				continue
			}
			remove = append(remove, p)
		}
		if err := m.removeUnlessIgnored(ctx, remove, path.Dir); err != nil {
			return err
		}
	}
	return nil
}

// maxArguments bounds the paths of one command line.
const maxArguments = 200

// filesBeside lists the files of the main index in the directories of paths.
func (m *Memory) filesBeside(ctx context.Context, paths []string) ([]string, error) {
	args := []string{"ls-files", "-z", "--"}
	for _, p := range paths {
		args = append(args, path.Dir(p))
	}
	var files []string
	each := &records{each: func(p string) error { files = append(files, p); return nil }}
	_, err := m.shadow.run(ctx, request{args: args, stdout: each})
	slices.Sort(files)
	return files, err
}

// anyUnder reports whether a sorted list has a path under dir, which counts for
// the top in any case.
func anyUnder(sorted []string, dir string) bool {
	if dir == "." {
		return true
	}
	i, _ := slices.BinarySearch(sorted, dir+"/")
	return i < len(sorted) && strings.HasPrefix(sorted[i], dir+"/")
}

// removeStrange removes what git does not see and what was not there when the
// workspace was opened: repositories, sockets and pipes that are not ignored.
func (m *Memory) removeStrange(ctx context.Context) error {
	after, err := m.sweep.walk(ctx)
	if err != nil {
		return err
	}
	stays := func(p string) bool { return slices.Contains(m.rec.Strange, p) || m.inFilledSubmodule(p) }
	specials := slices.DeleteFunc(pathsOf(after.found, special), stays)
	repositories := slices.DeleteFunc(pathsOf(after.found, repository), stays)
	if err := m.removeUnlessIgnored(ctx, specials, func(p string) string { return p }); err != nil {
		return err
	}
	// Git answers nothing about a path named .git.
	if err := m.removeUnlessIgnored(ctx, repositories, path.Dir); err != nil {
		return err
	}
	if len(specials)+len(repositories) == 0 {
		m.calm = after
	}
	return nil
}

// removeUnlessIgnored removes paths unless git ignores what ask makes of them.
func (m *Memory) removeUnlessIgnored(ctx context.Context, paths []string, ask func(string) string) error {
	if len(paths) == 0 {
		return nil
	}
	var asked []string
	for _, p := range paths {
		asked = append(asked, ask(p))
	}
	ignored, err := m.ignored(ctx, asked)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(m.rec.Workspace)
	if err != nil {
		return err
	}
	defer root.Close()
	for i, p := range paths {
		if ignored[asked[i]] {
			continue
		}
		if err := removeIn(root, filepath.FromSlash(p)); err != nil {
			return fmt.Errorf("remove %s: %w", printable(p, 200), err)
		}
	}
	return nil
}

func (m *Memory) inFilledSubmodule(p string) bool {
	for _, s := range m.rec.Submodules {
		if s.Filled && covers([]string{s.Path}, p) {
			return true
		}
	}
	return false
}

// ignored tells which of the paths .gitignore matches, or may not be touched.
func (m *Memory) ignored(ctx context.Context, paths []string) (map[string]bool, error) {
	out := map[string]bool{}
	var in bytes.Buffer
	for _, p := range paths {
		if p == "." {
			continue
		}
		if covers(append(m.rec.excluded(), agentDir), p) {
			out[p] = true
			continue
		}
		in.WriteString(p + "\x00")
	}
	if in.Len() == 0 {
		return out, nil
	}
	each := &records{each: func(s string) error { out[s] = true; return nil }}
	_, err := m.shadow.run(ctx, request{
		args: []string{"check-ignore", "-z", "--stdin"}, stdin: &in, stdout: each, env: []string{"GIT_LITERAL_PATHSPECS=0"},
	})
	if e := asGitError(err); e != nil && e.exit.Code == 1 {
		err = nil // none of them
	}
	return out, err
}

// leaveTip makes another state the tip. The visible repository keeps the old one
// by a reference: no branch need lead to it any more.
func (m *Memory) leaveTip(to point) error {
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

// emptySubmodules removes what was put into submodules that were empty: git
// never looks there.
func (m *Memory) emptySubmodules(ctx context.Context) error {
	filled, err := m.filledSubmodules(ctx, mainIndex)
	if err != nil || len(filled) == 0 {
		return err
	}
	root, err := os.OpenRoot(m.rec.Workspace)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, p := range filled {
		if err := removeIn(root, p); err != nil {
			return err
		}
		if err := root.Mkdir(p, 0o777); err != nil {
			return err
		}
	}
	return nil
}

// find is the recorded state that a token stands for.
func (m *Memory) find(ctx context.Context, op, token string) (point, error) {
	if !m.shadow.format.isID(token) {
		return point{}, notFound(op, printable(token, 80), "no token of this world")
	}
	if tree, ok := m.states.trees[token]; ok {
		return point{commit: token, tree: tree}, nil
	}
	if !m.rec.Borrows {
		return point{}, notFound(op, token, "no token of this world")
	}
	return m.borrow(ctx, token)
}

// borrow takes over a state that only the visible repository has: the memory was
// lost, or another kind of world recorded it. Every object is named anew by its
// content on the way, so that what the agent changed is not found.
func (m *Memory) borrow(ctx context.Context, token string) (point, error) {
	const op = "find the state in the workspace's repository"
	dir := filepath.Join(m.dir, "borrow")
	defer removeTree(dir)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return point{}, classify(contract.KindInternal, op, token, err)
	}
	pack := filepath.Join(dir, "pack")
	f, err := os.OpenFile(pack, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return point{}, classify(contract.KindInternal, op, token, err)
	}
	defer f.Close()
	lent := []string{m.visible.objects()}
	listed, err := m.shadow.run(ctx, request{args: []string{"cat-file", "commit", token}, alternates: lent})
	if err != nil {
		return point{}, notFound(op, token, "no token of this world")
	}
	_, err = m.shadow.run(ctx, request{
		args:  []string{"pack-objects", "-q", "--revs", "--stdout", "--no-reuse-object"},
		stdin: strings.NewReader(token + "^{tree}\n"), stdout: f, alternates: lent,
	})
	if err != nil {
		return point{}, notFound(op, token, "the workspace's repository lacks objects of it: %v", err)
	}
	if _, err := f.Seek(0, 0); err != nil {
		return point{}, classify(contract.KindInternal, op, token, err)
	}
	if _, err := m.shadow.run(ctx, request{args: []string{"index-pack", "--stdin"}, stdin: f}); err != nil {
		return point{}, notFound(op, token, "the workspace's repository is damaged: %v", err)
	}
	id, err := m.shadow.writeObject("commit", listed.out)
	if err == nil && id != token {
		return point{}, notFound(op, token, "the workspace's repository is damaged")
	}
	if err != nil {
		return point{}, classify(contract.KindInternal, op, token, err)
	}
	at, err := m.adoptBorrowed(ctx, token)
	return at, classify(contract.KindInternal, op, token, err)
}

// adoptBorrowed makes sure that nothing of a borrowed state is missing, and
// keeps it.
func (m *Memory) adoptBorrowed(ctx context.Context, token string) (point, error) {
	if err := m.shadow.endAt(token); err != nil {
		return point{}, err
	}
	if _, err := m.shadow.ask(ctx, "rev-list", "--objects", "--quiet", token); err != nil {
		return point{}, notFound("find the state in the workspace's repository", token, "the workspace's repository is damaged: %v", err)
	}
	tree, err := m.shadow.ask(ctx, "rev-parse", "--verify", "--quiet", token+"^{tree}")
	if err != nil {
		return point{}, err
	}
	fresh, err := m.shadow.fresh()
	if err != nil {
		return point{}, err
	}
	packs, err := m.shadow.packed(ctx, fresh)
	if err != nil {
		return point{}, err
	}
	if err := m.shadow.keep(ctx, packs); err != nil {
		return point{}, err
	}
	at := point{commit: token, tree: tree}
	return at, errors.Join(m.states.hold(at), m.shadow.clearQuarantine())
}
