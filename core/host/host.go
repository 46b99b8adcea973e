package host

import (
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/crucible-engine/crucible/core/host/internal/rundir"
	"github.com/crucible-engine/crucible/sdk/contract"
	"github.com/crucible-engine/crucible/sdk/plugin"
)

// Options say how a host works. The zero value works.
type Options struct {
	// Logger takes the host's remarks and the plugins' logs; nil discards them.
	Logger hclog.Logger
	// Getenv reads the engine's environment; nil is os.Getenv.
	Getenv func(string) string
	// Overrides name binaries of single plugins.
	Overrides []Override
	// Workspace is the absolute path of the run's workspace; nothing in it is
	// executed. Empty when there is no run.
	Workspace string
	// RunID is passed on to the plugins.
	RunID string
	// Scratch gives a plugin's lasting directory by its name, "transport-command".
	// Nil: the plugins get one that ends with the host.
	Scratch func(name string) (string, error)
	// StartTimeout bounds a start up to the end of Configure, by default
	// contract.StartTimeout.
	StartTimeout time.Duration
	// ShutdownGrace is how long calls in flight may take to end when the host is
	// closed, by default contract.ShutdownGrace.
	ShutdownGrace time.Duration
}

// Host owns the plugins of one run. It is safe for concurrent use, but List,
// Check and Inspect must have returned before Close.
type Host struct {
	options Options
	logger  hclog.Logger
	finder  *finder
	calls   calls
	close   func() error // closes once

	dirMu sync.Mutex
	dir   *rundir.Dir // nil until something is started

	mu      sync.Mutex
	closed  bool
	plugins map[Ref]*supervisor
}

// Used is a plugin that a run used.
type Used struct {
	// Info is what the plugin said about itself.
	Info plugin.Info
	// Path is where it was found.
	Path string
	// SHA256 is the hash of what was executed, in hexadecimal; empty when the
	// file could not be read to its end.
	SHA256 string
	Origin Origin
}

// New prepares a host; it starts nothing. The host must be closed.
func New(options Options) (*Host, error) {
	if options.Getenv == nil {
		options.Getenv = os.Getenv
	}
	if options.Logger == nil {
		options.Logger = hclog.NewNullLogger()
	}
	if options.StartTimeout <= 0 {
		options.StartTimeout = contract.StartTimeout
	}
	if options.ShutdownGrace <= 0 {
		options.ShutdownGrace = contract.ShutdownGrace
	}
	finder, err := newFinder(options.Getenv, options.Overrides, options.Workspace)
	if err != nil {
		return nil, err
	}
	h := &Host{
		options: options, logger: options.Logger, finder: finder,
		plugins: map[Ref]*supervisor{},
	}
	h.close = sync.OnceValue(h.shutDown)
	return h, nil
}

// workDir is the directory of this run. The first call removes what crashed
// engines left behind.
func (h *Host) workDir() (string, error) {
	h.dirMu.Lock()
	defer h.dirMu.Unlock()
	if h.dir != nil {
		return h.dir.Path(), nil
	}
	base, err := rundir.Base(h.options.Getenv)
	if err != nil {
		return "", err
	}
	if err := rundir.Sweep(base); err != nil {
		h.logger.Warn("old run directories are left", "error", err.Error())
	}
	if h.dir, err = rundir.Create(base); err != nil {
		return "", err
	}
	return h.dir.Path(), nil
}

func (h *Host) removeWorkDir() error {
	h.dirMu.Lock()
	defer h.dirMu.Unlock()
	if h.dir == nil {
		return nil
	}
	err := h.dir.Close()
	h.dir = nil
	return err
}

// Has reports whether a plugin that this host has started has a feature.
func (h *Host) Has(kind, name, feature string) bool {
	return slices.ContainsFunc(h.Used(), func(u Used) bool {
		return u.Info.Kind == kind && u.Info.Name == name && slices.Contains(u.Info.Features, feature)
	})
}

// Used lists the plugins that were started so far, sorted by kind and name. The
// hash of one that was trusted as named is computed while it runs; Used waits
// for it.
func (h *Host) Used() []Used {
	h.mu.Lock()
	plugins := slices.Collect(maps.Values(h.plugins))
	h.mu.Unlock()
	var used []Used
	for _, s := range plugins {
		if u, ok := s.used(); ok {
			used = append(used, u)
		}
	}
	slices.SortFunc(used, func(a, b Used) int {
		return strings.Compare(a.Info.Kind+"/"+a.Info.Name, b.Info.Kind+"/"+b.Info.Name)
	})
	return used
}

// Close cancels the calls in flight, ends the plugins in order and removes the
// run directory. Later calls fail with ErrClosed. It may be called again, also
// at the same time, and then waits and gives the same answer.
func (h *Host) Close() error { return h.close() }

func (h *Host) shutDown() error {
	h.mu.Lock()
	h.closed = true
	plugins := h.plugins
	h.mu.Unlock()
	h.calls.cancelAll()
	var group sync.WaitGroup
	for _, s := range plugins {
		group.Go(s.stop)
	}
	group.Wait()
	return h.removeWorkDir()
}

// supervisor is the one for a plugin.
func (h *Host) supervisor(ref Ref) (*supervisor, error) {
	if err := ref.valid(); err != nil {
		return nil, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil, ErrClosed
	}
	s := h.plugins[ref]
	if s == nil {
		s = &supervisor{host: h, ref: ref}
		h.plugins[ref] = s
	}
	return s, nil
}
