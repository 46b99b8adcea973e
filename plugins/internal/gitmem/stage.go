package gitmem

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/crucible-engine/crucible/sdk/contract"
)

// maxRounds bounds how often the files are looked at again after something was
// put right, for instance a repository inside a repository inside the workspace.
const maxRounds = 16

// stage makes the work index agree with the files of the workspace. It starts
// from the work index of an earlier look when there is one, which is quick when
// little changed since, and right when much did.
func (m *Memory) stage(ctx context.Context) error {
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
func (m *Memory) stageFrom(ctx context.Context, now look) error {
	search := "-A"
	if now.same(m.calm) {
		// There are no new files: those of the main index are all there can be. The
		// work index may lack some that were gone for a while.
		search = "-u"
		m.dropWork()
	}
	if err := m.shadow.copyIndex(mainIndex, workIndex); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	m.looked, m.shadow.dirty = now, true
	if err := m.flattenSubmodules(ctx); err != nil {
		return err
	}
	var unlocked bool
	for range maxRounds {
		a, err := m.add(ctx, search)
		switch {
		case a.nested:
			err = m.flattenNested(ctx)
		case a.denied && !unlocked:
			unlocked = true
			err = m.unlock()
		case err == nil && len(a.excluded) > 0:
			return m.unstage(ctx, a.excluded)
		case err == nil:
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
func (m *Memory) checkWorkspace() error {
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
	return err
}

// dropWork forgets what was staged.
func (m *Memory) dropWork() { _ = os.Remove(m.shadow.path(workIndex)) }

// added is what came of looking at the files.
type added struct {
	nested   bool     // repositories inside the workspace were taken as such
	denied   bool     // permissions were in the way
	excluded []string // paths that no state may hold were staged
}

// add runs git add. Its list of what it staged is how a .gitignore is found out
// that takes the engine's own files in.
func (m *Memory) add(ctx context.Context, search string) (added, error) {
	args := []string{"add", search, "-v"}
	if m.indexTree == "" && !m.rec.Whole {
		// The first look stores every file: in one pack, not in a file each.
		args = append([]string{"-c", "core.bigFileThreshold=1"}, args...)
	}
	list := &addedList{excluded: append(m.rec.excluded(), agentDir)}
	r, err := m.shadow.run(ctx, request{args: args, index: workIndex, stdout: list})
	a := added{
		nested: strings.Contains(r.stderr, "adding embedded git repository") ||
			strings.Contains(r.stderr, "does not have a commit checked out"),
		denied:   deniedByMode(r.stderr),
		excluded: list.found,
	}
	return a, err
}

// addedList reads what git add -v says and keeps the paths that are excluded. A
// path with a line end in it cannot be one of them.
type addedList struct {
	excluded []string
	found    []string
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
	name, ok := strings.CutPrefix(line, "add '")
	if name = strings.TrimSuffix(name, "'"); ok && covers(l.excluded, name) && len(l.found) < maxAddedFound {
		l.found = append(l.found, name)
	}
}

// unstage takes excluded paths out of the work index again, or puts them back to
// what the tip has. The agent's directory is the repository's affair when the
// tip has files in it.
func (m *Memory) unstage(ctx context.Context, paths []string) error {
	inTip := map[string]string{}
	if m.states.tip.tree != "" {
		each := &records{each: func(s string) error {
			entry, p, _ := strings.Cut(s, "\t")
			if f := strings.Fields(entry); len(f) == 3 {
				inTip[p] = f[0] + " " + f[2]
			}
			return nil
		}}
		args := append([]string{"ls-tree", "-r", "-z", "--full-tree", m.states.tip.tree, "--"}, engineFiles...)
		args = append(append(args, m.rec.Exclude...), agentDir)
		if _, err := m.shadow.run(ctx, request{args: args, stdout: each, alternates: m.lent()}); err != nil {
			return err
		}
	}
	var changes, kept bytes.Buffer
	for _, p := range paths {
		entry, known := inTip[p]
		switch {
		case known && covers([]string{agentDir}, p):
		case known:
			fmt.Fprintf(&changes, "%s\t%s\x00", entry, p)
			kept.WriteString(p + "\x00")
		default:
			fmt.Fprintf(&changes, "0 %s\t%s\x00", m.shadow.format.none(), p)
		}
	}
	if err := m.updateIndex(ctx, &changes, "--index-info"); err != nil {
		return err
	}
	if err := m.takeBlobs(ctx, inTip, paths); err != nil {
		return err
	}
	// From now on neither git add nor a restore touches these.
	return m.updateIndex(ctx, &kept, "--skip-worktree", "--stdin")
}

// takeBlobs copies the tip's version of files that are not recorded anew. It is
// the visible repository's until the shadow is whole.
func (m *Memory) takeBlobs(ctx context.Context, inTip map[string]string, paths []string) error {
	for _, p := range paths {
		entry, known := inTip[p]
		if !known || m.rec.Whole || covers([]string{agentDir}, p) {
			continue
		}
		_, id, _ := strings.Cut(entry, " ")
		r, err := m.shadow.run(ctx, request{args: []string{"cat-file", "blob", id}, alternates: m.lent()})
		if err != nil {
			return err
		}
		if _, err := m.shadow.writeObject("blob", r.out); err != nil {
			return err
		}
	}
	return nil
}

func (m *Memory) updateIndex(ctx context.Context, in *bytes.Buffer, args ...string) error {
	if in.Len() == 0 {
		return nil
	}
	_, err := m.shadow.run(ctx, request{args: append([]string{"update-index", "-z"}, args...), index: workIndex, stdin: io.Reader(in)})
	return err
}

// lent are the visible repository's objects, for reading the original commit
// before the shadow has its files.
func (m *Memory) lent() []string {
	if m.rec.Whole {
		return nil
	}
	return []string{m.visible.objects()}
}

// unlock gives the owner the rights on the workspace's files that git needs.
func (m *Memory) unlock() error {
	root, err := os.OpenRoot(m.rec.Workspace)
	if err != nil {
		return err
	}
	defer root.Close()
	if info, err := root.Lstat("."); err == nil && info.Mode().Perm()&0o700 != 0o700 {
		if err := root.Chmod(".", info.Mode().Perm()|0o700); err != nil {
			return err
		}
	}
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
