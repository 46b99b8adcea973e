// Package gitplugin is what the plugins with git memory have in common: they
// keep a gitmem.Store from Configure to Shutdown and say which git there is.
package gitplugin

import (
	"context"
	"sync"

	"github.com/crucible-engine/crucible/plugins/internal/gitmem"
	"github.com/crucible-engine/crucible/sdk/contract"
	"github.com/crucible-engine/crucible/sdk/plugin"
)

// NeedsEnv are the variables that a clone over the network may need.
func NeedsEnv() []string {
	return []string{
		"SSH_AUTH_SOCK", "GIT_SSH_COMMAND", "GIT_SSL_CAINFO", "SSL_CERT_FILE", "SSL_CERT_DIR", "XDG_CONFIG_HOME",
		"https_proxy", "HTTPS_PROXY", "no_proxy", "NO_PROXY", "all_proxy", "ALL_PROXY",
	}
}

// Memories is embedded in a world. The zero value waits for Configure. It is
// safe for concurrent use.
type Memories struct {
	mu    sync.Mutex
	store *gitmem.Store
}

var (
	_ plugin.Configurer = (*Memories)(nil)
	_ plugin.Validator  = (*Memories)(nil)
	_ plugin.Checker    = (*Memories)(nil)
	_ plugin.Shutdowner = (*Memories)(nil)
)

// Validate finds no key that is known.
func (*Memories) Validate(_ context.Context, settings plugin.Settings) ([]plugin.Diagnostic, error) {
	return settings.Decode(&struct{}{}), nil
}

// Configure takes the directory where memories are kept.
func (m *Memories) Configure(_ context.Context, config plugin.Config) error {
	if err := plugin.Err(config.Settings.Decode(&struct{}{})); err != nil {
		return err
	}
	store, err := gitmem.NewStore(config.ScratchDir)
	if err != nil {
		return err
	}
	store.CheckAhead()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.store = store
	return nil
}

// Check tells which git there is.
func (m *Memories) Check(ctx context.Context) (plugin.Report, error) {
	s, err := m.Store()
	if err != nil {
		return plugin.Report{}, err
	}
	version, err := s.Version(ctx)
	if err != nil {
		return plugin.Report{Diagnostics: []plugin.Diagnostic{{Severity: plugin.SeverityError, Message: err.Error()}}}, nil
	}
	return plugin.Report{Facts: map[string]string{"git": version}}, nil
}

// Shutdown lets go of the workspaces; their files stay.
func (m *Memories) Shutdown(ctx context.Context) error {
	s, err := m.Store()
	if err != nil {
		return nil //nolint:nilerr // never configured: nothing is held
	}
	return s.CloseAll(ctx)
}

// Store is where the memories are; contract.ErrInvalid before Configure.
func (m *Memories) Store() (*gitmem.Store, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.store == nil {
		return nil, &contract.Error{Kind: contract.KindInvalid, Op: "use the world", Message: "it was not configured"}
	}
	return m.store, nil
}

// With calls a memory once there is a store.
func With[T any](m *Memories, call func(*gitmem.Store) (T, error)) (T, error) {
	s, err := m.Store()
	if err != nil {
		var none T
		return none, err
	}
	return call(s)
}
