package worldrpc

import (
	"sync"

	"github.com/crucible-engine/crucible/sdk/contract"
)

// writers holds what is being written to, so that at most one call writes.
type writers struct {
	mu   sync.Mutex
	busy map[string]struct{}
}

// claim takes all the keys or none. The function gives them back.
func (w *writers) claim(op string, keys ...string) (func(), error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, k := range keys {
		if _, ok := w.busy[k]; ok {
			return nil, fault(contract.KindConflict, op, "", "another call is writing to the same world")
		}
	}
	if w.busy == nil {
		w.busy = map[string]struct{}{}
	}
	for _, k := range keys {
		w.busy[k] = struct{}{}
	}
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		for _, k := range keys {
			delete(w.busy, k)
		}
	}, nil
}

// The keys of a world and of a workspace that has no world yet.
func worldKey(id string) string       { return "world " + id }
func workspaceKey(path string) string { return "workspace " + path }
