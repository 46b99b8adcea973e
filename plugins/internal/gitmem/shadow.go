package gitmem

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Names in the directory of a memory.
const (
	shadowDir     = "git"           // the shadow repository
	quarantineDir = "quarantine"    // objects that belong to no recorded state yet
	mainIndex     = "index"         // the recorded or restored state
	workIndex     = "index.work"    // the workspace as it was last looked at
	refsDir       = "refs/crucible" // in the visible repository
)

// shadowConfig is the whole configuration that git sees. Files above 32 MiB are
// streamed, so that git's memory stays bounded.
const shadowConfig = `[core]
	bare = false
	filemode = true
	symlinks = true
	ignorecase = false
	precomposeunicode = false
	protectHFS = true
	protectNTFS = true
	autocrlf = false
	safecrlf = false
	quotepath = false
	trustctime = true
	checkStat = default
	hooksPath = /dev/null
	attributesFile = /dev/null
	excludesFile = /dev/null
	fsmonitor = false
	untrackedCache = false
	splitIndex = false
	sparseCheckout = false
	preloadIndex = true
	logAllRefUpdates = false
	bigFileThreshold = 32m
	compression = 1
	looseCompression = 1
	fsync = none
[index]
	version = 2
[pack]
	window = 0
	writeReverseIndex = false
[gc]
	auto = 0
[maintenance]
	auto = false
[commit]
	gpgSign = false
[submodule]
	recurse = false
[diff]
	renameLimit = 200
[advice]
	addEmbeddedRepo = false
	addIgnoredFile = false
`

// shadowAttributes outranks every .gitattributes of the workspace: what goes in
// comes out, and a difference is shown as text unless the content is binary.
const shadowAttributes = "* -text -crlf -eol -ident -filter -working-tree-encoding !diff !merge !whitespace\n"

// shadow is the repository that git runs on, see the package comment.
type shadow struct {
	git       string // the git program
	dir       string // the memory's directory
	workspace string
	format    format
	// borrowed are object directories that belong to others and are only read.
	borrowed []string
	// emptied are directories of the quarantine that were seen empty.
	emptied map[string]stamp
	// dirty: there may be objects in the quarantine.
	dirty bool
	// watched are files whose changes git might not see.
	watched watches
	// packs counts the packs since they were joined.
	packs int
}

func (s *shadow) path(elem ...string) string {
	return filepath.Join(append([]string{s.dir, shadowDir}, elem...)...)
}

func (s *shadow) quarantine() string { return filepath.Join(s.dir, quarantineDir) }

// create makes the repository when there is none, and sees to it that its
// configuration is ours.
func (s *shadow) create() error {
	for _, dir := range []string{s.path(), s.quarantine()} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return fmt.Errorf("make the shadow repository: %w", err)
		}
	}
	root, err := os.OpenRoot(s.path())
	if err != nil {
		return fmt.Errorf("make the shadow repository: %w", err)
	}
	defer root.Close()
	config := s.format.extensions() + shadowConfig
	if _, err := root.Stat("HEAD"); err != nil {
		if err := skeleton(root, config, headText("refs/heads/none", "")); err != nil {
			return err
		}
	}
	for name, text := range map[string]string{
		"config": config, "info/attributes": shadowAttributes,
		"objects/info/alternates": strings.Join(append(s.borrowed, ""), "\n"),
	} {
		if err := keepFile(root, name, text); err != nil {
			return fmt.Errorf("make the shadow repository: %w", err)
		}
	}
	return s.heal()
}

// ignore says which files are none of the workspace's.
func (s *shadow) ignore(patterns string) error {
	root, err := os.OpenRoot(s.path())
	if err != nil {
		return fmt.Errorf("say what is to be ignored: %w", err)
	}
	defer root.Close()
	if err := keepFile(root, "info/exclude", patterns); err != nil {
		return fmt.Errorf("say what is to be ignored: %w", err)
	}
	return nil
}

// keepFile writes a file unless it has that content.
func keepFile(root *os.Root, name, text string) error {
	if have, err := readSmall(root, name); err == nil && string(have) == text {
		return nil
	}
	return replaceFile(root, name, []byte(text), 0o600)
}

// heal removes what a process of ours left when it was killed. The caller holds
// the memory's lock, so no other process of ours runs. What git would wait for,
// a pipe in the place of a file, is a fault.
func (s *shadow) heal() error {
	for _, name := range []string{mainIndex, "HEAD", "config"} {
		if info, err := os.Lstat(s.path(name)); err == nil && !info.Mode().IsRegular() {
			return fmt.Errorf("%s is no regular file any more", s.path(name))
		}
	}
	for _, name := range []string{mainIndex, workIndex, mergeIndex, "HEAD", "config", "shallow", "packed-refs"} {
		if err := os.Remove(s.path(name + ".lock")); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove a stale lock: %w", err)
		}
	}
	return nil
}

// env is the environment of git: nothing of the operator's or the agent's.
func (s *shadow) env(index string, alternates ...string) []string {
	env := []string{
		"PATH=" + os.Getenv("PATH"), "LC_ALL=C", "HOME=" + s.dir, "XDG_CONFIG_HOME=" + s.dir,
		"GIT_DIR=" + s.path(), "GIT_WORK_TREE=" + s.workspace,
		"GIT_INDEX_FILE=" + s.path(index),
		"GIT_OBJECT_DIRECTORY=" + s.quarantine(),
		"GIT_ALTERNATE_OBJECT_DIRECTORIES=" + alternateList(append([]string{s.path("objects")}, alternates...)),
	}
	return append(env, isolation...)
}

// isolation keeps git away from configuration, prompts and programs that are
// not ours.
var isolation = []string{
	"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_ATTR_NOSYSTEM=1",
	"GIT_NO_REPLACE_OBJECTS=1", "GIT_LITERAL_PATHSPECS=1", "GIT_TERMINAL_PROMPT=0",
	"GIT_ASKPASS=", "SSH_ASKPASS=", "GIT_EDITOR=:", "GIT_PAGER=cat", "GIT_ALLOW_PROTOCOL=none",
	"GIT_NO_LAZY_FETCH=1",
}

// alternateList quotes directories as git wants them.
func alternateList(dirs []string) string {
	quoted := make([]string, len(dirs))
	for i, d := range dirs {
		if strings.ContainsAny(d, ":\"\n\\") {
			d = `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(d) + `"`
		}
		quoted[i] = d
	}
	return strings.Join(quoted, ":")
}

// request is one git call on the shadow.
type request struct {
	args       []string
	index      string // mainIndex when empty
	stdin      io.Reader
	stdout     io.Writer
	alternates []string // object directories to read as well
	env        []string // goes before the shadow's
}

func (s *shadow) run(ctx context.Context, r request) (result, error) {
	if r.index == "" {
		r.index = mainIndex
	}
	if looks(r.args) {
		if err := s.recheck(r.index); err != nil {
			return result{}, err
		}
	}
	env := s.env(r.index, r.alternates...)
	if r.env != nil {
		env = dedupe(append(env, r.env...))
	}
	return runGit(ctx, s.git, call{args: r.args, dir: s.workspace, env: env, stdin: r.stdin, stdout: r.stdout})
}

// ask is run for calls without input that answer with one short text.
func (s *shadow) ask(ctx context.Context, args ...string) (string, error) {
	r, err := s.run(ctx, request{args: args})
	return r.text(), err
}
