package gitmem

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// checkObjects makes sure that the visible repository has the tip. The look at
// the commit's own file finds an agent that packed or deleted objects; then git
// is asked, and what is gone is copied again.
func (m *memory) checkObjects(ctx context.Context, r *roots) error {
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
func (m *memory) shows(ctx context.Context, id string) bool {
	env := append(m.shadow.env(mainIndex), "GIT_OBJECT_DIRECTORY="+m.visible.objects(), "GIT_ALTERNATE_OBJECT_DIRECTORIES=")
	_, err := runGit(ctx, m.shadow.git, call{args: []string{"cat-file", "-e", id}, dir: m.dir, env: dedupe(env)})
	return err == nil
}

// rebuild makes a visible repository out of the shadow. It has every recorded
// state; what the original repository had beyond that is lost.
func (m *memory) rebuild() error {
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
func (m *memory) showAll(r *roots) error {
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
func (m *memory) endHistory(r *roots) error {
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
