package gitmem_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/crucible-engine/crucible/plugins/internal/gitmem"
	"github.com/crucible-engine/crucible/sdk/contract"
	"github.com/crucible-engine/crucible/sdk/world"
)

// fakeGit puts a script that is called git in front of PATH.
func fakeGit(t *testing.T, script string) {
	t.Helper()
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "git"), []byte("#!/bin/sh\n"+script+"\n"), 0o700))
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
}

// openAhead opens a workspace that is not there yet with a store that was told
// to ask for git's version before.
func openAhead(t *testing.T) (*gitmem.Store, world.OpenRequest, error) {
	t.Helper()
	root := t.TempDir()
	s := newStore(t, filepath.Join(root, "scratch"))
	s.CheckAhead()
	req := world.OpenRequest{Workspace: filepath.Join(root, "ws"), ManifestDir: root}
	must(t, os.Mkdir(req.Workspace, 0o700))
	_, err := s.Open(t.Context(), req, nil)
	return s, req, err
}

// A question asked ahead refuses what one that is asked in time refuses, and
// nothing was made by then.
func TestVersionAhead(t *testing.T) {
	tests := map[string]struct {
		script string
		want   error
	}{
		"new enough":   {`exec $(PATH=${PATH#*:} command -v git) "$@"`, nil},
		"too old":      {`echo git version 2.31.9`, contract.ErrUnsupported},
		"no version":   {`echo hello`, contract.ErrUnavailable},
		"fails":        {`exit 1`, contract.ErrUnavailable},
		"newer by far": {`[ "$1" = version ] && { echo git version 3.0; exit; }; exec $(PATH=${PATH#*:} command -v git) "$@"`, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			fakeGit(t, test.script)
			_, req, err := openAhead(t)
			if !errors.Is(err, test.want) {
				t.Errorf("open: %v, want %v", err, test.want)
			}
			if _, err := os.Stat(filepath.Join(req.Workspace, ".git")); (err == nil) != (test.want == nil) {
				t.Errorf("a repository was made: %v", err == nil)
			}
		})
	}
}

// A git that was put right after the question is asked again.
func TestVersionAskedAgain(t *testing.T) {
	state := filepath.Join(t.TempDir(), "right")
	fakeGit(t, `[ -e `+state+` ] || exit 1; exec $(PATH=${PATH#*:} command -v git) "$@"`)
	s, req, err := openAhead(t)
	if !errors.Is(err, contract.ErrUnavailable) {
		t.Errorf("open: %v", err)
	}
	must(t, os.WriteFile(state, nil, 0o600))
	if _, err := s.Open(t.Context(), req, nil); err != nil {
		t.Errorf("open again: %v", err)
	}
}

// A git that does not answer is not waited for.
func TestVersionNeverAnswered(t *testing.T) {
	fakeGit(t, `exec sleep 600`)
	s := newStore(t, filepath.Join(t.TempDir(), "scratch"))
	s.CheckAhead()
	if err := s.CloseAll(t.Context()); err != nil {
		t.Error(err)
	}
}
