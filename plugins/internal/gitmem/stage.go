package gitmem

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/crucible-engine/crucible/sdk/contract"
)

// maxRounds bounds how often the files are looked at again after something was
// put right, for instance a repository inside a repository inside the workspace.
const maxRounds = 16

// stage makes the work index agree with the files of the workspace. It starts
// from the work index of an earlier look when there is one, which is quick when
// little changed since, and right when much did.
func (m *memory) stage(ctx context.Context) error {
	if err := m.checkWorkspace(); err != nil {
		return err
	}
	now, err := m.sweep.walk(ctx)
	if err != nil {
		return err
	}
	return m.stageFrom(ctx, now)
}

// stageFrom is stage when the names have been looked at.
func (m *memory) stageFrom(ctx context.Context, now look) error {
	search := "-A"
	if now.same(m.calm) {
		// There are no new files: those of the main index are all there can be. The
		// work index may lack some that were gone for a while.
		search = "-u"
		m.dropWork()
		if err := m.shadow.clearQuarantine(); err != nil {
			return err
		}
	}
	err := m.shadow.copyIndex(mainIndex, workIndex)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	pristine := err == nil && m.indexTree != ""
	m.looked, m.shadow.dirty, m.unmoved = now, true, false
	flattened, err := m.flattenSubmodules(ctx)
	if err != nil {
		return err
	}
	var unlocked bool
	for round := range maxRounds {
		a, err := m.add(ctx, search)
		switch {
		case a.nested:
			err = m.flattenNested(ctx)
		case a.denied && !unlocked:
			unlocked = true
			err = m.unlock()
		case a.denied:
			err = errors.Join(err, contract.NewError(contract.KindRefused, opStage, "", errors.New("there are files that cannot be read")))
		case err == nil && len(a.excluded) > 0:
			return m.unstage(ctx, a.excluded)
		case err == nil:
			m.unmoved = pristine && !flattened && round == 0 && a.staged == 0
			return nil
		}
		if err != nil {
			return unrecordable(err)
		}
	}
	return contract.NewError(contract.KindRefused, opStage, "", errors.New("repositories inside repositories, too deep to record"))
}

const opStage = "look at the files"

// unrecordable tells what an agent left that no state can hold, a pipe in the
// place of a file or a file that poses as a repository, from other faults.
func unrecordable(err error) error {
	if e := asGitError(err); e != nil && (e.says("invalid path") || e.says("can only add") || e.says("unable to index file") || e.says("unable to add")) {
		return contract.NewError(contract.KindRefused, opStage, "", err)
	}
	return fmt.Errorf("%s: %w", opStage, err)
}

// checkWorkspace makes sure that the workspace is still a directory of its own:
// an agent may have put a link in its place.
func (m *memory) checkWorkspace() error {
	info, err := os.Lstat(m.rec.Workspace)
	if err != nil {
		return fmt.Errorf("the workspace is gone: %w", err)
	}
	if !info.IsDir() {
		return errors.New("the workspace is no directory any more")
	}
	return nil
}

// copyIndex gives an index a second name. Git never writes into an index, it
// replaces it; and the copy has the time of the original, up to which git takes
// its word for what did not change. Without an index there is none to copy.
func (s *shadow) copyIndex(from, to string) error {
	err := os.Link(s.path(from), s.path(to))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		s.copyWatch(from, to)
	}
	return err
}

// dropWork forgets what was staged.
func (m *memory) dropWork() { _ = os.Remove(m.shadow.path(workIndex)) }

// added is what came of looking at the files.
type added struct {
	nested   bool     // repositories inside the workspace were taken as such
	denied   bool     // permissions were in the way
	staged   int      // lines that say what changed in the index
	excluded []string // paths that no state may hold were staged
}

// add runs git add. Its list of what it staged is how a .gitignore is found out
// that takes the engine's own files in.
func (m *memory) add(ctx context.Context, search string) (added, error) {
	args := []string{"add", search, "-v"}
	if m.indexTree == "" && !m.rec.Whole {
		// The first look stores every file: in one pack, not in a file each.
		args = append([]string{"-c", "core.bigFileThreshold=1"}, args...)
	}
	list := &addedList{excluded: append(m.rec.excluded(), agentDir)}
	begin := time.Now()
	r, err := m.shadow.run(ctx, request{args: args, index: workIndex, stdout: list})
	if err == nil {
		err = m.shadow.watch(workIndex, begin)
	}
	a := added{
		nested: strings.Contains(r.stderr, "adding embedded git repository") ||
			strings.Contains(r.stderr, "does not have a commit checked out"),
		denied:   deniedByMode(r.stderr),
		excluded: list.found,
		staged:   list.lines,
	}
	return a, err
}

// addedList reads what git add -v says and keeps the paths that are excluded. A
// path with a line end in it cannot be one of them.
type addedList struct {
	excluded []string
	found    []string
	lines    int
	line     bytes.Buffer
}

const maxAddedFound = 10_000

func (l *addedList) Write(p []byte) (int, error) {
	n := len(p)
	for {
		i := bytes.IndexByte(p, '\n')
		if i < 0 {
			if l.line.Len() < maxRecord {
				l.line.Write(p)
			}
			return n, nil
		}
		l.line.Write(p[:i])
		l.take(l.line.String())
		l.line.Reset()
		p = p[i+1:]
	}
}

func (l *addedList) take(line string) {
	l.lines++
	name, ok := strings.CutPrefix(line, "add '")
	if name = strings.TrimSuffix(name, "'"); ok && covers(l.excluded, name) && len(l.found) < maxAddedFound {
		l.found = append(l.found, name)
	}
}

// unlock gives the owner the rights on the workspace's files that git needs.
func (m *memory) unlock() error {
	if err := unlockDir(m.rec.Workspace); err != nil {
		return err
	}
	root, err := os.OpenRoot(m.rec.Workspace)
	if err != nil {
		return err
	}
	defer root.Close()
	entries, err := readDir(root, ".")
	if err != nil {
		return err
	}
	var errs []error
	for _, e := range entries {
		if e.Name() != ".git" {
			errs = append(errs, unlockTree(root, filepath.ToSlash(e.Name())))
		}
	}
	return errors.Join(errs...)
}
