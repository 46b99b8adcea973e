package gitmem

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/crucible-engine/crucible/sdk/contract"
)

// cloneOptions hold for the only git calls that see the operator's own
// configuration: it has the credentials, proxies and certificates. Hooks are
// off, and a server that stalls is given up.
var cloneOptions = []string{
	"-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "gc.auto=0", "-c", "maintenance.auto=false",
	"-c", "http.lowSpeedLimit=1000", "-c", "http.lowSpeedTime=60", "-c", "submodule.recurse=false",
	"-c", "fetch.recurseSubmodules=false", "-c", "core.askPass=", "-c", "advice.detachedHead=false",
	"-c", "init.templateDir=", "-c", "clone.rejectShallow=false",
}

// cloneTimeout bounds a clone; one that stalls ends much sooner.
const cloneTimeout = 24 * time.Hour

// clone clones the source beside the workspace, checks out the ref and renames.
func (k maker) clone(ctx context.Context) error {
	partial := k.partial()
	err := k.cloneInto(ctx, partial)
	if err == nil {
		// An empty directory in the place is replaced, nothing else; os.Rename would
		// refuse that, too.
		err = unix.Rename(partial, k.workspace)
	}
	if err != nil {
		err = errors.Join(err, removeTree(partial))
	}
	return err
}

func (k maker) cloneInto(ctx context.Context, partial string) error {
	from := k.req.Source.URL
	if from == "" {
		from = k.req.Source.Path
	}
	k.log.say("cloning %s", redact(from))
	// Hard links would let the agent change the files of a local source.
	args := []string{"clone", "--no-checkout", "--no-hardlinks", "--no-recurse-submodules", "--template=", "--origin", "origin", "--quiet", "--", from, partial}
	if _, err := k.network(ctx, k.req.ManifestDir, args...); err != nil {
		if info, statErr := os.Stat(k.req.Source.Path); statErr == nil && info.IsDir() && !isRepository(k.req.Source.Path) {
			return invalid("clone", redact(from), "this is no git repository; run git init and commit there, or make the workspace by setup_cmd")
		}
		return cloneFault(from, err)
	}
	v, ok, err := findVisible(partial)
	if err != nil || !ok {
		return fmt.Errorf("clone %s: no repository was made: %w", redact(from), errors.Join(err))
	}
	branch, commit, err := k.choose(ctx, partial)
	if err != nil {
		return err
	}
	if commit == "" {
		k.log.say("WARNING: %s has no commit: the workspace is empty", redact(from))
	}
	if commit != "" {
		k.log.say("checking out %s", shortID(commit))
		if err := k.checkout(ctx, v, commit); err != nil {
			return err
		}
	}
	return setHead(v, branch, commit)
}

// network runs git with the operator's environment.
func (k maker) network(ctx context.Context, dir string, args ...string) (result, error) {
	return runGit(ctx, k.memory.store.git, call{
		args: append(append([]string{}, cloneOptions...), args...), dir: dir, env: operatorEnv(), timeout: cloneTimeout,
	})
}

// operatorEnv is this process's environment without what would redirect git,
// and with what keeps it from asking questions.
func operatorEnv() []string {
	var env []string
	ssh := "GIT_SSH_COMMAND=ssh -o BatchMode=yes -o ConnectTimeout=30 -o ServerAliveInterval=15"
	for _, e := range os.Environ() {
		name, _, _ := strings.Cut(e, "=")
		switch {
		case name == "GIT_SSH_COMMAND":
			ssh = e
		case strings.HasPrefix(name, "GIT_") && !strings.HasPrefix(name, "GIT_SSL_") && name != "GIT_CONFIG_GLOBAL" && name != "GIT_CONFIG_NOSYSTEM",
			name == "SSH_ASKPASS", name == "LC_ALL", name == "LANGUAGE":
		default:
			env = append(env, e)
		}
	}
	return append(env, "LC_ALL=C", "GIT_DEFAULT_REF_FORMAT=files", "GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=", "SSH_ASKPASS=",
		"GIT_ALLOW_PROTOCOL="+strings.Join(protocols, ":"), ssh)
}

// isRepository reports whether a directory looks like a repository, bare or not.
func isRepository(dir string) bool {
	for _, name := range []string{".git", "HEAD"} {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			return true
		}
	}
	return false
}

func cloneFault(from string, err error) error {
	e := asGitError(err)
	if e == nil {
		return classify(contract.KindInternal, "clone", redact(from), err)
	}
	// git repeats the address, which may hold a password.
	text := strings.ReplaceAll(e.stderr, from, redact(from))
	kind := contract.KindInvalid
	for _, passing := range []string{"Could not resolve host", "Connection timed out", "Connection refused", "early EOF", "RPC failed"} {
		if strings.Contains(text, passing) {
			kind = contract.KindUnavailable
		}
	}
	return contract.NewError(kind, "clone", redact(from), errors.New(oneLine(text)))
}

// choose finds the commit that the ref names: a branch of the source, a tag or
// a commit. Without a ref it is the source's default branch.
func (k maker) choose(ctx context.Context, partial string) (branch, commit string, err error) {
	v, _, err := findVisible(partial)
	if err != nil {
		return "", "", err
	}
	r, err := v.open()
	if err != nil {
		return "", "", err
	}
	defer r.close()
	ref := k.req.Source.Ref
	if ref == "" {
		branch, commit, err = r.head()
		if _, statErr := r.common.Stat("packed-refs"); err == nil && commit == "" && statErr == nil {
			err = invalid("clone", "source ref", "the repository has no default branch; name one")
		}
		return branch, commit, err
	}
	if id, err := k.lookup(ctx, partial, "refs/remotes/origin/"+ref); err != nil || id != "" {
		return "refs/heads/" + ref, id, err
	}
	if id, err := k.lookup(ctx, partial, "refs/tags/"+ref); err != nil || id != "" {
		return "", id, err
	}
	if len(ref) < 7 || !isHex(strings.ToLower(ref)) {
		return "", "", notThere(ref)
	}
	if id, err := k.lookup(ctx, partial, ref); err != nil || id != "" {
		return "", id, err
	}
	if !formatOf(ref).isID(ref) {
		return "", "", notThere(ref)
	}
	// A commit that no branch leads to: many servers hand it out when asked.
	if _, err := k.network(ctx, partial, "fetch", "--quiet", "--no-recurse-submodules", "origin", ref); err != nil {
		if ctx.Err() != nil {
			return "", "", err
		}
		return "", "", notThere(ref)
	}
	id, err := k.lookup(ctx, partial, ref)
	if err == nil && id == "" {
		err = notThere(ref)
	}
	return "", id, err
}

func notThere(ref string) error {
	return invalid("clone", "source ref", "the repository has no branch, tag or commit %q", ref)
}

// lookup is the commit that a name leads to, empty when there is none.
func (k maker) lookup(ctx context.Context, partial, name string) (string, error) {
	r, err := k.network(ctx, partial, "--git-dir="+filepath.Join(partial, ".git"), "rev-parse", "--verify", "--quiet", "--end-of-options", name+"^{commit}")
	if asGitError(err) != nil {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return r.text(), nil
}

// checkout writes the files of a commit, with a repository of its own and not
// with the clone's: no filter, hook or line-ending conversion takes part.
func (k maker) checkout(ctx context.Context, v visible, commit string) error {
	dir := filepath.Join(k.memory.dir, "checkout")
	s := &shadow{git: k.memory.store.git, dir: dir, workspace: v.workspace, format: formatOf(commit), watched: watches{}}
	defer removeTree(dir)
	if err := errors.Join(removeTree(dir), s.create()); err != nil {
		return err
	}
	_, err := s.run(ctx, request{args: []string{"read-tree", "--reset", "-u", commit}, alternates: []string{v.objects()}})
	return classify(contract.KindInvalid, "check out", commit, err)
}

// setHead makes the visible repository stand on a branch or a commit.
func setHead(v visible, branch, commit string) error {
	r, err := v.open()
	if err != nil {
		return err
	}
	defer r.close()
	if branch != "" && commit != "" {
		if err := writeRef(r.common, branch, commit); err != nil {
			return err
		}
		name := strings.TrimPrefix(branch, "refs/heads/")
		if err := appendBranch(r.common, name); err != nil {
			return err
		}
	}
	return replaceFile(r.git, "HEAD", []byte(headText(branch, commit)), 0o666)
}

// appendBranch says in the configuration which branch of the source a branch
// follows.
func appendBranch(common *os.Root, name string) error {
	config, err := readSmall(common, "config")
	if err != nil {
		return err
	}
	section := `[branch "` + strings.ReplaceAll(name, `"`, `\"`) + `"]`
	if strings.Contains(string(config), section) {
		return nil
	}
	value := strings.ReplaceAll(`refs/heads/`+name, `"`, `\"`)
	text := string(config) + section + "\n\tremote = origin\n\tmerge = \"" + value + "\"\n"
	return replaceFile(common, "config", []byte(text), 0o666)
}

func shortID(id string) string { return id[:min(len(id), 12)] }
