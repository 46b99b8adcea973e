package gitmem

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// mirror makes the visible repository agree with the shadow: it stands on the
// tip, with the tip's index, nothing going on and its furniture in order. A
// repository that the agent took away is made again.
func (m *memory) mirror(ctx context.Context) error {
	r, err := m.beginMirror(mainIndex)
	if err != nil {
		return err
	}
	defer r.close()
	return m.finishMirror(ctx, r)
}

// beginMirror does what needs no object. The caller closes the roots. A
// repository whose permissions are in the way gets them back.
func (m *memory) beginMirror(index string) (*roots, error) {
	r, err := m.sealMirror(index)
	if !errors.Is(err, fs.ErrPermission) || m.visible.gitFile != "" {
		return r, err
	}
	root, openErr := os.OpenRoot(m.rec.Workspace)
	if openErr != nil {
		return nil, err
	}
	defer root.Close()
	if err := unlockTree(root, ".git"); err != nil {
		return nil, err
	}
	return m.sealMirror(index)
}

func (m *memory) sealMirror(index string) (*roots, error) {
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
func (m *memory) finishMirror(ctx context.Context, r *roots) error {
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

// openVisible opens the visible repository, and makes it anew when it is not
// there any more.
func (m *memory) openVisible() (*roots, error) {
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

func (m *memory) showTip(ctx context.Context, r *roots) error {
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

// showIndex gives the visible repository the index of the recorded state, with
// its time: git takes that for the moment up to which it saw changes.
func (m *memory) showIndex(r *roots, index string) error {
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
func (m *memory) reseal() error {
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
