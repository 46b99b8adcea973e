package conformance_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/crucible-engine/crucible/sdk/contract"
	"github.com/crucible-engine/crucible/sdk/world"
)

// plain is a world that keeps every state whole in memory. Its fault is one of
// those that TestWorldFaults names.
type plain struct {
	world.World // what it does not have
	fault       string

	mu     sync.Mutex
	worlds map[string]string // directory by id
	states map[string]state  // by token
}

type state struct {
	world string
	files map[string]file
}

type file struct {
	mode fs.FileMode
	text string // the target of a link
}

func newPlain(fault string) *plain {
	return &plain{fault: fault, worlds: map[string]string{}, states: map[string]state{}}
}

func notFound(op, subject string) error {
	return &contract.Error{Kind: contract.KindNotFound, Op: op, Subject: subject, Message: "there is none"}
}

func (p *plain) Open(_ context.Context, req world.OpenRequest, _ func(world.LogLine)) (world.Opened, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	info, err := os.Stat(req.Workspace)
	fresh := errors.Is(err, fs.ErrNotExist)
	switch {
	case fresh && req.Attach && p.fault != "attaches to nothing":
		return world.Opened{}, notFound("open", req.Workspace)
	case err == nil && !info.IsDir():
		return world.Opened{}, fmt.Errorf("%s is no directory", req.Workspace)
	}
	if err := os.MkdirAll(filepath.Join(req.Workspace, ".git"), 0o755); err != nil {
		return world.Opened{}, err
	}
	id := rand.Text()
	p.worlds[id] = req.Workspace
	return world.Opened{WorldID: id, Fresh: fresh}, nil
}

// walk visits every file of a directory but those of git.
func walk(dir string, visit func(name, path string, entry fs.DirEntry) error) error {
	return filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		name := strings.TrimPrefix(path, dir+"/")
		switch {
		case err != nil:
			return err
		case name == ".git":
			return filepath.SkipDir
		case entry.IsDir():
			return nil
		default:
			return visit(name, path, entry)
		}
	})
}

func (p *plain) Snapshot(_ context.Context, id string, _ world.SnapshotRequest) (world.Snapshot, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	dir, ok := p.worlds[id]
	if !ok {
		return world.Snapshot{}, notFound("snapshot", id)
	}
	s := state{world: id, files: map[string]file{}}
	err := walk(dir, func(name, path string, entry fs.DirEntry) error {
		if entry.Type()&fs.ModeSymlink != 0 {
			to, err := os.Readlink(path)
			s.files[name] = file{fs.ModeSymlink, to}
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		text, err := os.ReadFile(path)
		s.files[name] = file{info.Mode().Perm(), string(text)}
		return err
	})
	token := rand.Text()
	p.states[token] = s
	return world.Snapshot{Token: token, Commit: token, Changed: true, Shortstat: "some"}, err
}

func (p *plain) Restore(_ context.Context, id, token string) (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	dir, ok := p.worlds[id]
	s, known := p.states[token]
	switch {
	case !ok:
		return "", notFound("restore", id)
	case !known, s.world != id && p.fault != "takes foreign tokens":
		return "", notFound("restore", token)
	}
	if p.fault != "leaves what is new" {
		if err := clear(dir); err != nil {
			return "", err
		}
	}
	for name, f := range s.files {
		if err := p.put(filepath.Join(dir, name), f); err != nil {
			return "", err
		}
	}
	return token, nil
}

// clear removes everything but what is git's.
func clear(dir string) error {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if e.Name() != ".git" {
			path := filepath.Join(dir, e.Name())
			_ = os.Chmod(path, 0o755) // a sealed directory
			err = errors.Join(err, os.RemoveAll(path))
		}
	}
	return err
}

func (p *plain) put(path string, f file) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if f.mode&fs.ModeSymlink != 0 {
		if p.fault == "leaves what is new" {
			_ = os.Remove(path)
		}
		return os.Symlink(f.text, path)
	}
	if p.fault == "forgets modes" {
		f.mode = 0o644
	}
	if err := os.WriteFile(path, []byte(f.text), f.mode); err != nil {
		return err
	}
	return os.Chmod(path, f.mode)
}

func (p *plain) Read(_ context.Context, id, token, path string, w io.Writer) (world.File, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s, ok := p.states[token]
	f, has := s.files[path]
	if p.fault == "reads what is there now" {
		text, err := os.ReadFile(filepath.Join(p.worlds[id], path))
		f.text, has = string(text), err == nil
	}
	if !ok || !has || s.world != id || f.mode&fs.ModeSymlink != 0 {
		return world.File{}, notFound("read", path)
	}
	_, err := io.WriteString(w, f.text)
	return world.File{Mode: uint32(f.mode), Size: int64(len(f.text))}, err
}

func (p *plain) Close(_ context.Context, id string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.worlds, id)
	return nil
}
