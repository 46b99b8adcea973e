package gitmem

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

const (
	maxSmallFile  = 1 << 20  // bytes of a file of the furniture
	maxPackedRefs = 64 << 20 // bytes of packed-refs
	maxSymrefs    = 5        // references that name references
)

// visible is the repository in the workspace. Everything in it may have been
// written by the agent: it is only reached through an os.Root, and no git runs
// on it.
type visible struct {
	workspace string
	// gitDir holds HEAD and the index, commonDir the rest. They are the same
	// directory unless the workspace is a linked worktree.
	gitDir, commonDir string
	// gitFile is the content of .git when that is a file.
	gitFile string
}

func (v visible) objects() string { return filepath.Join(v.commonDir, "objects") }

// findVisible finds the repository of an existing workspace. It looks nowhere
// but in the workspace: a repository further up is not its own. The second
// result is false when there is none.
func findVisible(workspace string) (visible, bool, error) {
	git := filepath.Join(workspace, ".git")
	v := visible{workspace: workspace, gitDir: git, commonDir: git}
	info, err := os.Lstat(git)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return v, false, nil
	case err != nil:
		return v, false, err
	case info.IsDir():
		return v, true, nil
	case !info.Mode().IsRegular():
		return v, false, errors.New(".git is neither a directory nor a file")
	}
	root, err := os.OpenRoot(workspace)
	if err != nil {
		return v, false, err
	}
	defer root.Close()
	text, err := readSmall(root, ".git")
	if err != nil {
		return v, false, err
	}
	v.gitFile = string(text)
	return v, true, v.follow()
}

// follow finds the directories of a workspace whose .git is a file. A linked
// worktree must be named by the repository it belongs to, so that a planted file
// cannot lead to a foreign one.
func (v *visible) follow() error {
	target, ok := strings.CutPrefix(strings.TrimRight(v.gitFile, "\r\n"), "gitdir: ")
	if !ok {
		return errors.New(".git is a file that names no repository")
	}
	v.gitDir = absolute(v.workspace, target)
	root, err := os.OpenRoot(v.gitDir)
	if err != nil {
		return fmt.Errorf(".git leads to a repository that is not there: %w", err)
	}
	defer root.Close()
	common, err := readSmall(root, "commondir")
	if errors.Is(err, fs.ErrNotExist) {
		v.commonDir = v.gitDir // a submodule: its core.worktree is checked later
		return nil
	}
	if err != nil {
		return err
	}
	v.commonDir = absolute(v.gitDir, strings.TrimSpace(string(common)))
	back, err := readSmall(root, "gitdir")
	if err != nil || !samePath(strings.TrimSpace(string(back)), filepath.Join(v.workspace, ".git")) {
		return fmt.Errorf(".git leads to %s, which does not belong to this workspace", v.gitDir)
	}
	return nil
}

func absolute(base, p string) string {
	if !filepath.IsAbs(p) {
		p = filepath.Join(base, p)
	}
	return filepath.Clean(p)
}

func samePath(a, b string) bool {
	ra, errA := filepath.EvalSymlinks(a)
	rb, errB := filepath.EvalSymlinks(b)
	return errA == nil && errB == nil && ra == rb
}

// roots are the open directories of the visible repository.
type roots struct {
	git, common *os.Root
}

func (r *roots) close() {
	r.git.Close()
	if r.common != r.git {
		r.common.Close()
	}
}

// errDamaged says that the visible repository is not where it was.
var errDamaged = errors.New("the workspace's repository is damaged")

// open opens the directories; errDamaged when the agent put something else in
// their place.
func (v visible) open() (*roots, error) {
	if v.gitFile != "" {
		return v.openLinked()
	}
	workspace, err := os.OpenRoot(v.workspace)
	if err != nil {
		return nil, err
	}
	defer workspace.Close()
	if info, err := workspace.Lstat(".git"); err != nil || !info.IsDir() {
		return nil, errDamaged
	}
	git, err := workspace.OpenRoot(".git")
	if err != nil {
		return nil, errDamaged
	}
	for _, dir := range []string{"objects", "refs"} {
		if info, err := git.Lstat(dir); err != nil || !info.IsDir() {
			git.Close()
			return nil, errDamaged
		}
	}
	return &roots{git: git, common: git}, nil
}

func (v visible) openLinked() (*roots, error) {
	git, err := os.OpenRoot(v.gitDir)
	if err != nil {
		return nil, fmt.Errorf("open the repository of the worktree: %w", err)
	}
	if v.commonDir == v.gitDir {
		return &roots{git: git, common: git}, nil
	}
	common, err := os.OpenRoot(v.commonDir)
	if err != nil {
		git.Close()
		return nil, fmt.Errorf("open the repository of the worktree: %w", err)
	}
	return &roots{git: git, common: common}, nil
}

// head is what HEAD stands for: the branch it names, empty for a commit, and the
// commit, empty for a branch without one.
func (r *roots) head() (branch, commit string, err error) {
	text, err := readSmall(r.git, "HEAD")
	if err != nil {
		return "", "", fmt.Errorf("read HEAD: %w", err)
	}
	value := strings.TrimSpace(string(text))
	name, symbolic := strings.CutPrefix(value, "ref: ")
	if !symbolic {
		if !formatOf(value).isID(value) {
			return "", "", errors.New("HEAD holds neither a branch nor a commit")
		}
		return "", value, nil
	}
	if !strings.HasPrefix(name, "refs/heads/") || !validRef(name) {
		return "", "", fmt.Errorf("HEAD names %q, which is no branch", printable(name, 100))
	}
	commit, err = r.resolve(name)
	return name, commit, err
}

// resolve is the commit of a reference, empty when there is no such reference.
func (r *roots) resolve(name string) (string, error) {
	for range maxSymrefs {
		text, err := readSmall(r.common, name)
		if err != nil {
			return r.packed(name)
		}
		value := strings.TrimSpace(string(text))
		if next, ok := strings.CutPrefix(value, "ref: "); ok && validRef(next) && strings.HasPrefix(next, "refs/") {
			name = next
			continue
		}
		if formatOf(value).isID(value) {
			return value, nil
		}
		return "", fmt.Errorf("reference %s is damaged", name)
	}
	return "", fmt.Errorf("reference %s names too many others", name)
}

// packed looks a reference up in packed-refs.
func (r *roots) packed(name string) (string, error) {
	f, err := openRegular(r.common, "packed-refs")
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read packed-refs: %w", err)
	}
	defer f.Close()
	lines := bufio.NewScanner(io.LimitReader(f, maxPackedRefs))
	for lines.Scan() {
		id, ref, ok := strings.Cut(lines.Text(), " ")
		if ok && ref == name && formatOf(id).isID(id) {
			return id, nil
		}
	}
	return "", lines.Err()
}

// openRegular opens a regular file and nothing else: a pipe would block, a link
// would lead away.
func openRegular(root *os.Root, name string) (*os.File, error) {
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		f.Close()
		return nil, fmt.Errorf("%s is no regular file", name)
	}
	return f, nil
}

// readSmall reads a regular file of at most maxSmallFile bytes.
func readSmall(root *os.Root, name string) ([]byte, error) {
	f, err := openRegular(root, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxSmallFile+1))
	if err == nil && len(data) > maxSmallFile {
		err = fmt.Errorf("%s is larger than %d bytes", name, maxSmallFile)
	}
	return data, err
}
