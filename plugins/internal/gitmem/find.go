package gitmem

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/crucible-engine/crucible/sdk/contract"
)

// find is the recorded state that a token stands for.
func (m *memory) find(ctx context.Context, op, token string) (point, error) {
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
func (m *memory) borrow(ctx context.Context, token string) (point, error) {
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
	m.shadow.dirty = true
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
func (m *memory) adoptBorrowed(ctx context.Context, token string) (point, error) {
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
	if err := m.shadow.keep(packs); err != nil {
		return point{}, err
	}
	at := point{commit: token, tree: tree}
	return at, errors.Join(m.states.hold(at), m.shadow.clearQuarantine())
}
