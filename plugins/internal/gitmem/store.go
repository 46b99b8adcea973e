package gitmem

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/crucible-engine/crucible/sdk/contract"
	"github.com/crucible-engine/crucible/sdk/world"
)

// Store keeps the memories of a process, one per workspace. It is safe for
// concurrent use.
type Store struct {
	dir string
	git string

	checked atomic.Bool // git is new enough
	ahead   *ahead      // nil unless CheckAhead was called

	mu   sync.Mutex
	open map[string]*slot
}

// slot is the place of one workspace. Its turn is taken for opening and closing.
type slot struct {
	turn   chan struct{}
	memory *memory
	users  int
}

// NewStore keeps its files in dir, an absolute path of a directory that is made
// when it is missing. Only one process may use a memory at a time; another one
// is refused when it opens the same workspace.
func NewStore(dir string) (*Store, error) {
	if !filepath.IsAbs(dir) {
		return nil, invalid("keep memories", dir, "want an absolute path")
	}
	git, err := exec.LookPath("git")
	if err != nil {
		return nil, contract.NewError(contract.KindUnavailable, "find git", "", errors.New("git is not on PATH; install it"))
	}
	if git, err = filepath.Abs(git); err != nil {
		return nil, contract.NewError(contract.KindInternal, "find git", "", err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, contract.NewError(contract.KindInvalid, "keep memories", dir, err)
	}
	return &Store{dir: dir, git: git, open: map[string]*slot{}}, nil
}

// keyOf names the memory of a workspace; it is the world id.
func keyOf(workspace string) string {
	sum := sha256.Sum256([]byte(filepath.Clean(workspace)))
	return hex.EncodeToString(sum[:8])
}

// enter takes the turn of a workspace. The caller must call leave.
func (s *Store) enter(ctx context.Context, key string) (sl *slot, leave func(), err error) {
	s.mu.Lock()
	sl = s.open[key]
	if sl == nil {
		sl = &slot{turn: make(chan struct{}, 1)}
		s.open[key] = sl
	}
	sl.users++
	s.mu.Unlock()
	select {
	case sl.turn <- struct{}{}:
	case <-ctx.Done():
		s.drop(key, sl)
		return nil, nil, ctx.Err()
	}
	return sl, func() { <-sl.turn; s.drop(key, sl) }, nil
}

// drop gives up one use of a slot; a slot without a memory and users is gone.
func (s *Store) drop(key string, sl *slot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if sl.users--; sl.users == 0 && sl.memory == nil {
		delete(s.open, key)
	}
}

// Open prepares a workspace, see world.World. A workspace that is open already
// is shared: it stays open until it was closed as often.
func (s *Store) Open(ctx context.Context, req world.OpenRequest, log func(world.LogLine)) (world.Opened, error) {
	if err := checkRequest(req); err != nil {
		return world.Opened{}, err
	}
	checked := s.checkGit(ctx)
	key := keyOf(req.Workspace)
	sl, leave, err := s.enter(ctx, key)
	if err != nil {
		return world.Opened{}, err
	}
	defer leave()
	if sl.memory != nil {
		return sl.memory.again(ctx, req)
	}
	if log == nil {
		log = func(world.LogLine) {}
	}
	m := newMemory(s, key, filepath.Join(s.dir, key))
	opened, err := m.openWith(ctx, req, log, checked)
	if err != nil {
		return world.Opened{}, classify(contract.KindInternal, "open workspace", req.Workspace, err)
	}
	s.mu.Lock()
	sl.memory = m
	s.mu.Unlock()
	return opened, nil
}

// Has says whether a world is open: contract.ErrNotFound when it is not.
func (s *Store) Has(ctx context.Context, id string) error {
	_, err := s.get(ctx, id)
	return err
}

// get is the memory of an open world. A fork that an earlier process left is
// found again.
func (s *Store) get(ctx context.Context, id string) (*memory, error) {
	s.mu.Lock()
	sl := s.open[id]
	if sl != nil && sl.memory != nil {
		defer s.mu.Unlock()
		return sl.memory, nil
	}
	s.mu.Unlock()
	return s.findFork(ctx, id)
}

// write takes the turn of a world for a call that changes it. The caller must
// call done.
func (s *Store) write(ctx context.Context, id, op string) (m *memory, done func(), err error) {
	if m, err = s.get(ctx, id); err != nil {
		return nil, nil, err
	}
	done, err = m.write(ctx, op)
	return m, done, err
}

// wait takes the turn of a world for any other call.
func (s *Store) wait(ctx context.Context, id, op string) (m *memory, done func(), err error) {
	if m, err = s.get(ctx, id); err != nil {
		return nil, nil, err
	}
	done, err = m.wait(ctx, op)
	return m, done, err
}

// Close lets go of a world, see world.World.
func (s *Store) Close(ctx context.Context, id string) error {
	m, err := s.get(ctx, id)
	if err != nil {
		return err
	}
	sl, leave, err := s.enter(ctx, id)
	if err != nil {
		return err
	}
	defer leave()
	if sl.memory != m {
		return notFound("close world", id, "no such world")
	}
	last, err := m.close(ctx)
	if last {
		s.mu.Lock()
		sl.memory = nil
		s.mu.Unlock()
	}
	return classify(contract.KindInternal, "close world", id, err)
}

// CloseAll lets go of every world but deletes no fork.
func (s *Store) CloseAll(ctx context.Context) error {
	s.mu.Lock()
	var memories []*memory
	for _, sl := range s.open {
		if sl.memory != nil {
			memories = append(memories, sl.memory)
		}
	}
	s.mu.Unlock()
	var errs []error
	for _, m := range memories {
		errs = append(errs, m.release(ctx))
	}
	s.ahead.stop()
	return errors.Join(errs...)
}
