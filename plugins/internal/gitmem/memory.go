package gitmem

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"github.com/crucible-engine/crucible/sdk/contract"
	"github.com/crucible-engine/crucible/sdk/world"
)

// lockWait is how long an engine that is just ending may still hold a memory.
const lockWait = 5 * time.Second

// memory is what is kept of one workspace. Its methods are safe for concurrent
// use: a writing one is refused with contract.ErrConflict while another runs,
// the rest wait for their turn.
type memory struct {
	store *Store
	id    string
	dir   string
	lock  *flock.Flock

	writing chan struct{} // holds a value while a writing call runs
	turn    chan struct{} // holds a value while any call runs; guards what follows

	users   int
	rec     record
	states  *states
	shadow  *shadow
	visible visible
	// indexTree is the tree of the main index, empty when that is not known.
	indexTree string
	sweep     *sweeper
	// calm is the look at the names when the main index had every file; looked is
	// the one before the last git add.
	calm, looked look
	// harmless are .gitignore files that a restore leaves alone.
	harmless map[string]bool
	sealed   sealState
	// unmoved: the last look found in the work index just what the main one has.
	unmoved bool
	// shown is the tip that the visible repository was found to have in a pack.
	shown string
}

func newMemory(s *Store, id, dir string) *memory {
	return &memory{
		store: s, id: id, dir: dir, lock: flock.New(filepath.Join(dir, lockFile)),
		writing: make(chan struct{}, 1), turn: make(chan struct{}, 1),
	}
}

// write takes the turn for a writing call.
func (m *memory) write(ctx context.Context, op string) (done func(), err error) {
	select {
	case m.writing <- struct{}{}:
	default:
		return nil, conflict(op, m.rec.Workspace, "another call that changes this world is running")
	}
	next, err := m.wait(ctx, op)
	if err != nil {
		<-m.writing
		return nil, err
	}
	return func() { next(); <-m.writing }, nil
}

// wait takes the turn for any call.
func (m *memory) wait(ctx context.Context, op string) (done func(), err error) {
	select {
	case m.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, fmt.Errorf("%s: %w", op, ctx.Err())
	}
	if m.users == 0 {
		<-m.turn
		return nil, notFound(op, m.id, "the world is closed")
	}
	if err := m.shadow.heal(); err != nil {
		<-m.turn
		return nil, classify(contract.KindInternal, op, "", err)
	}
	return func() { <-m.turn }, nil
}

// acquire takes the lock that keeps other processes out.
func (m *memory) acquire(ctx context.Context) error {
	if err := os.MkdirAll(m.dir, 0o700); err != nil {
		return err
	}
	if err := removeSpecial(m.dir); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	ok, err := m.lock.TryLockContext(ctx, 50*time.Millisecond)
	if ok {
		return nil
	}
	if err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return conflict("open workspace", m.rec.Workspace, "another engine with the same state directory has it open")
}

// again opens a workspace once more that is open already.
func (m *memory) again(ctx context.Context, req world.OpenRequest) (world.Opened, error) {
	done, err := m.wait(ctx, "open workspace")
	if err != nil {
		return world.Opened{}, err
	}
	defer done()
	if added := union(m.rec.Exclude, req.Exclude); len(added) > len(m.rec.Exclude) {
		m.rec.Exclude = added
		if err := m.settle(); err != nil {
			return world.Opened{}, classify(contract.KindInternal, "open workspace", req.Workspace, err)
		}
	}
	m.users++
	return world.Opened{WorldID: m.id, Commit: m.states.tip.commit}, nil
}

// close gives up one use. After the last one the memory is let go of: a fork's
// files are deleted, a main workspace is left with its furniture in order.
func (m *memory) close(ctx context.Context) (last bool, err error) {
	done, err := m.write(ctx, "close world")
	if err != nil {
		return false, err
	}
	defer done()
	if m.users--; m.users > 0 {
		return false, nil
	}
	if m.rec.Fork == nil {
		return true, m.leave()
	}
	err = errors.Join(m.states.close(), removeTree(m.rec.Workspace))
	if err == nil {
		err = removeTree(m.dir)
	}
	return true, errors.Join(err, m.lock.Unlock())
}

// release ends all uses and keeps every file.
func (m *memory) release(ctx context.Context) error {
	done, err := m.write(ctx, "close world")
	if err != nil {
		return err
	}
	defer done()
	m.users = 0
	return m.leave()
}

func (m *memory) leave() error {
	m.dropWork()
	err := m.reseal()
	m.rec.Closed = err == nil
	return errors.Join(err, m.rec.write(m.dir), m.states.close(), m.lock.Unlock())
}
