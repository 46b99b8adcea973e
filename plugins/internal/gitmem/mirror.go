package gitmem

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
)

// disturbances are what git leaves while something is going on. After an
// operation of ours nothing is.
var disturbances = []string{
	"index.lock", "HEAD.lock", "MERGE_HEAD", "MERGE_MSG", "MERGE_MODE", "MERGE_RR", "AUTO_MERGE", "SQUASH_MSG",
	"CHERRY_PICK_HEAD", "REVERT_HEAD", "REBASE_HEAD", "BISECT_LOG", "BISECT_START", "BISECT_TERMS",
	"BISECT_EXPECTED_REV", "BISECT_ANCESTORS_OK", "BISECT_NAMES", "BISECT_RUN",
	"rebase-merge", "rebase-apply", "sequencer", "NOTES_MERGE_WORKTREE",
}

// replaceRefs make git show one object in the place of another.
const replaceRefs = "refs/replace"

// mirror makes the visible repository agree with the shadow: it stands on the
// tip, with the tip's index, nothing going on and its furniture in order. A
// repository that the agent took away is made again.
func (m *Memory) mirror(ctx context.Context) error {
	r, err := m.beginMirror(mainIndex)
	if err != nil {
		return err
	}
	defer r.close()
	return m.finishMirror(ctx, r)
}

// beginMirror does what needs no object. The caller closes the roots.
func (m *Memory) beginMirror(index string) (*roots, error) {
	r, err := m.openVisible()
	if err != nil {
		return nil, err
	}
	err = m.rec.Seal.restore(r, m.sealed)
	if err == nil {
		err = m.quiet(r)
	}
	if err == nil {
		err = m.showIndex(r, index)
	}
	if err != nil {
		r.close()
		return nil, err
	}
	return r, nil
}

// finishMirror makes HEAD and its branch say what they should.
func (m *Memory) finishMirror(ctx context.Context, r *roots) error {
	err := m.showTip(ctx, r)
	if !errors.Is(err, errDamaged) {
		return err
	}
	if err := m.rebuild(); err != nil {
		return fmt.Errorf("make the workspace's repository again: %w", err)
	}
	again, err := m.beginMirror(mainIndex)
	if err != nil {
		return err
	}
	defer again.close()
	return m.showTip(ctx, again)
}

// quiet ends what is going on, and takes replacements of objects away unless the
// repository came with some.
func (m *Memory) quiet(r *roots) error {
	for _, name := range disturbances {
		if _, err := r.git.Lstat(name); err != nil {
			continue
		}
		if err := removeIn(r.git, name); err != nil {
			return fmt.Errorf("remove .git/%s: %w", name, err)
		}
	}
	if m.rec.Replaces {
		return nil
	}
	if _, err := r.common.Lstat(replaceRefs); err == nil {
		if err := removeIn(r.common, replaceRefs); err != nil {
			return fmt.Errorf("remove .git/%s: %w", replaceRefs, err)
		}
	}
	return m.unpackReplacements(r)
}

// unpackReplacements does the same for packed references, when their file
// changed.
func (m *Memory) unpackReplacements(r *roots) error {
	const name = "packed-refs"
	info, err := r.common.Lstat(name)
	if err != nil || m.sealed[name] == stampOf(info) {
		return nil
	}
	if text, err := readSmall(r.common, name); err == nil && strings.Contains(string(text), " "+replaceRefs+"/") {
		var kept []string
		for _, line := range strings.Split(string(text), "\n") {
			if !strings.Contains(line, " "+replaceRefs+"/") {
				kept = append(kept, line)
			}
		}
		if err := replaceFile(r.common, name, []byte(strings.Join(kept, "\n")), 0o666); err != nil {
			return fmt.Errorf("write .git/%s: %w", name, err)
		}
		if info, err = r.common.Lstat(name); err != nil {
			return err
		}
	}
	m.sealed[name] = stampOf(info)
	return nil
}

// openVisible opens the visible repository, and makes it anew when it is not
// there any more.
func (m *Memory) openVisible() (*roots, error) {
	if err := m.visible.checkFile(); err != nil {
		return nil, err
	}
	r, err := m.visible.open()
	if !errors.Is(err, errDamaged) {
		return r, err
	}
	if err := m.rebuild(); err != nil {
		return nil, fmt.Errorf("make the workspace's repository again: %w", err)
	}
	return m.visible.open()
}

// checkFile puts the .git file of a linked worktree back.
func (v visible) checkFile() error {
	if v.gitFile == "" {
		return nil
	}
	root, err := os.OpenRoot(v.workspace)
	if err != nil {
		return err
	}
	defer root.Close()
	if text, err := readSmall(root, ".git"); err == nil && string(text) == v.gitFile {
		return nil
	}
	if err := removeIn(root, ".git"); err != nil {
		return err
	}
	return replaceFile(root, ".git", []byte(v.gitFile), 0o666)
}

// rebuild makes a visible repository out of the shadow. It has every recorded
// state; what the original repository had beyond that is lost.
func (m *Memory) rebuild() error {
	root, err := os.OpenRoot(m.rec.Workspace)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := removeIn(root, ".git"); err != nil {
		return err
	}
	if err := root.Mkdir(".git", 0o777); err != nil {
		return err
	}
	git, err := root.OpenRoot(".git")
	if err != nil {
		return err
	}
	defer git.Close()
	config := m.shadow.format.extensions()
	if sealed, ok := m.rec.Seal["config"]; ok {
		config = string(sealed.Data)
	}
	if err := skeleton(git, config, headText(m.rec.Branch, m.states.tip.commit)); err != nil {
		return err
	}
	m.sealed = sealState{}
	r := &roots{git: git, common: git}
	if err := m.showAll(r); err != nil {
		return err
	}
	return m.endHistory(r)
}

// showAll copies every object of the shadow.
func (m *Memory) showAll(r *roots) error {
	for _, dir := range append([]string{m.shadow.path("objects")}, m.shadow.borrowed...) {
		names, err := objectFiles(dir)
		if err != nil {
			return err
		}
		if err := showObjects(r, dir, names); err != nil {
			return err
		}
	}
	return nil
}

// endHistory tells the visible repository where the shadow's history ends, for
// when it has lost what came before.
func (m *Memory) endHistory(r *roots) error {
	shallow, err := os.ReadFile(m.shadow.path("shallow"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	m.rec.Seal["shallow"] = sealedFile{Mode: 0o644, Data: shallow}
	if err := m.rec.Seal.restore(r, m.sealed); err != nil {
		return err
	}
	return m.rec.write(m.dir)
}

// objectFiles lists the files of an object directory, an index after its pack.
func objectFiles(dir string) ([]string, error) {
	var out []string
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, p)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		if strings.HasPrefix(rel, "info/") || strings.Contains(path.Base(rel), "tmp_") {
			return nil
		}
		if !strings.HasSuffix(rel, ".idx") {
			out = append(out, rel)
		}
		return nil
	})
	for _, name := range out {
		if base, ok := strings.CutSuffix(name, ".pack"); ok {
			out = append(out, base+".idx")
		}
	}
	return out, err
}

// showObjects copies objects of ours that the visible repository lacks. They are
// copies and not links: the agent may write to what it finds.
func showObjects(r *roots, from string, names []string) error {
	for _, name := range names {
		to := "objects/" + name
		if _, err := r.common.Lstat(to); err == nil {
			continue
		}
		if err := makeParents(r.common, to); err != nil {
			return fmt.Errorf("copy object %s: %w", name, err)
		}
		if err := copyFile(r.common, to, filepath.Join(from, name), 0o444); err != nil {
			return fmt.Errorf("copy object %s: %w", name, err)
		}
	}
	return nil
}

func (m *Memory) showTip(ctx context.Context, r *roots) error {
	tip := m.states.tip.commit
	if tip == "" {
		return nil
	}
	if m.rec.Whole {
		if err := m.checkObjects(ctx, r); err != nil {
			return err
		}
	}
	if m.rec.Branch != "" {
		if err := writeRef(r.common, m.rec.Branch, tip); err != nil {
			return err
		}
	}
	return writeSmall(r.git, "HEAD", headText(m.rec.Branch, tip))
}

// checkObjects makes sure that the visible repository has the tip. The look at
// the commit's own file finds an agent that packed or deleted objects; then git
// is asked, and what is gone is copied again.
func (m *Memory) checkObjects(ctx context.Context, r *roots) error {
	tip := m.states.tip.commit
	packs, _ := r.common.Lstat("objects/pack")
	if _, err := r.common.Lstat("objects/" + tip[:2] + "/" + tip[2:]); err == nil || tip == m.rec.Original {
		return nil
	}
	if packs != nil && m.shown == tip && m.sealed["objects/pack"] == stampOf(packs) {
		return nil
	}
	if !m.shows(ctx, tip) {
		if m.rec.Original != "" && !m.shows(ctx, m.rec.Original) && m.visible.gitFile == "" {
			return errDamaged // more than our objects are gone
		}
		if err := m.showAll(r); err != nil {
			return err
		}
	}
	if packs, err := r.common.Lstat("objects/pack"); err == nil {
		m.shown, m.sealed["objects/pack"] = tip, stampOf(packs)
	}
	return nil
}

// shows reports whether the visible repository has an object. It is the one
// question that is put to the agent's objects once a run goes on.
func (m *Memory) shows(ctx context.Context, id string) bool {
	env := append(m.shadow.env(mainIndex), "GIT_OBJECT_DIRECTORY="+m.visible.objects(), "GIT_ALTERNATE_OBJECT_DIRECTORIES=")
	_, err := runGit(ctx, m.shadow.git, call{args: []string{"cat-file", "-e", id}, dir: m.dir, env: dedupe(env)})
	return err == nil
}

func writeRef(common *os.Root, name, id string) error {
	if err := writeSmall(common, name, id+"\n"); err != nil {
		return fmt.Errorf("write reference %s: %w", name, err)
	}
	return nil
}

// writeSmall writes a file unless it holds the text already, in place of
// whatever has its name, and removes a lock that was left on it.
func writeSmall(root *os.Root, name, text string) error {
	if have, err := readSmall(root, name); err == nil && string(have) == text {
		return nil
	}
	if err := makeParents(root, name); err != nil {
		return err
	}
	for _, taken := range []string{name, name + ".lock"} {
		if info, err := root.Lstat(taken); err == nil && (taken != name || info.IsDir()) {
			if err := removeIn(root, taken); err != nil {
				return err
			}
		}
	}
	if done, err := overwrite(root, name, strings.NewReader(text), int64(len(text))); done || err != nil {
		return err
	}
	return replaceFile(root, name, []byte(text), 0o666)
}

// overwrite writes into a file that is there, without a new one: making a file
// and renaming it over another costs a multiple. Nobody reads the visible
// repository meanwhile, and the next operation mends what a crash left torn.
// False means that there is no file that is surely the repository's own.
func overwrite(root *os.Root, name string, from io.Reader, size int64) (done bool, err error) {
	f, err := root.OpenFile(name, os.O_WRONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return false, nil //nolint:nilerr // then it is made anew
	}
	info, err := f.Stat()
	if err != nil {
		return false, errors.Join(err, f.Close())
	}
	if st, ok := info.Sys().(*syscall.Stat_t); !ok || !info.Mode().IsRegular() || st.Nlink != 1 {
		return false, f.Close()
	}
	_, err = io.Copy(f, from)
	if err == nil && info.Size() != size {
		err = f.Truncate(size)
	}
	return true, errors.Join(err, f.Close())
}

// showIndex gives the visible repository the index of the recorded state, with
// its time: git takes that for the moment up to which it saw changes.
func (m *Memory) showIndex(r *roots, index string) error {
	f, err := os.Open(m.shadow.path(index))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	done, err := overwrite(r.git, "index", f, info.Size())
	if !done && err == nil {
		if at, statErr := r.git.Lstat("index"); statErr == nil && at.IsDir() {
			err = removeIn(r.git, "index")
		}
		if err == nil {
			err = copyFile(r.git, "index", f.Name(), 0o666)
		}
	}
	if err != nil {
		return fmt.Errorf("write the index: %w", err)
	}
	return r.git.Chtimes("index", info.ModTime(), info.ModTime())
}

// reseal puts the furniture of the visible repository back, if there is one.
func (m *Memory) reseal() error {
	if m.rec.Seal == nil {
		return nil
	}
	r, err := m.visible.open()
	if err != nil {
		return nil // it is gone: nothing that could do harm
	}
	defer r.close()
	return m.rec.Seal.restore(r, m.sealed)
}
