package gitmem

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// removeIgnores removes .gitignore files that are not the state's from the
// directories that are, unless they were there when the workspace was opened.
// One that ignores itself would outlive every discard and hide what is to be
// recorded. In a directory without files of the state it stays: tools put it
// into their caches.
func (m *memory) removeIgnores(ctx context.Context, found []string) error {
	suspects := slices.DeleteFunc(found, func(p string) bool {
		return m.harmless[p] || slices.Contains(m.rec.Ignores, p) || m.inFilledSubmodule(p)
	})
	for batch := range slices.Chunk(suspects, maxArguments) {
		tracked, err := m.filesBeside(ctx, batch)
		if err != nil {
			return err
		}
		var remove []string
		for _, p := range batch {
			_, own := slices.BinarySearch(tracked, p)
			if own || !anyUnder(tracked, path.Dir(p)) {
				m.harmless[p] = true
				continue
			}
			remove = append(remove, p)
		}
		if err := m.removeUnlessIgnored(ctx, remove, path.Dir); err != nil {
			return err
		}
	}
	return nil
}

// maxArguments bounds the paths of one command line.
const maxArguments = 200

// filesBeside lists the files of the main index in the directories of paths.
func (m *memory) filesBeside(ctx context.Context, paths []string) ([]string, error) {
	args := []string{"ls-files", "-z", "--"}
	for _, p := range paths {
		args = append(args, path.Dir(p))
	}
	var files []string
	each := &records{each: func(p string) error { files = append(files, p); return nil }}
	_, err := m.shadow.run(ctx, request{args: args, stdout: each})
	slices.Sort(files)
	return files, err
}

// anyUnder reports whether a sorted list has a path under dir, which counts for
// the top in any case.
func anyUnder(sorted []string, dir string) bool {
	if dir == "." {
		return true
	}
	i, _ := slices.BinarySearch(sorted, dir+"/")
	return i < len(sorted) && strings.HasPrefix(sorted[i], dir+"/")
}

// removeStrange removes what git does not see and what was not there when the
// workspace was opened: repositories, sockets and pipes that are not ignored.
func (m *memory) removeStrange(ctx context.Context) error {
	after, err := m.sweep.walk(ctx)
	if err != nil {
		return err
	}
	stays := func(p string) bool { return slices.Contains(m.rec.Strange, p) || m.inFilledSubmodule(p) }
	specials := slices.DeleteFunc(pathsOf(after.found, special), stays)
	repositories := slices.DeleteFunc(pathsOf(after.found, repository), stays)
	if err := m.removeUnlessIgnored(ctx, specials, func(p string) string { return p }); err != nil {
		return err
	}
	// Git answers nothing about a path named .git.
	if err := m.removeUnlessIgnored(ctx, repositories, path.Dir); err != nil {
		return err
	}
	if len(specials)+len(repositories) == 0 {
		m.calm = after
	}
	return nil
}

// removeUnlessIgnored removes paths unless git ignores what ask makes of them.
func (m *memory) removeUnlessIgnored(ctx context.Context, paths []string, ask func(string) string) error {
	if len(paths) == 0 {
		return nil
	}
	var asked []string
	for _, p := range paths {
		asked = append(asked, ask(p))
	}
	ignored, err := m.ignored(ctx, asked)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(m.rec.Workspace)
	if err != nil {
		return err
	}
	defer root.Close()
	for i, p := range paths {
		if ignored[asked[i]] {
			continue
		}
		if err := removeIn(root, filepath.FromSlash(p)); err != nil {
			return fmt.Errorf("remove %s: %w", printable(p, 200), err)
		}
	}
	return nil
}

func (m *memory) inFilledSubmodule(p string) bool {
	for _, s := range m.rec.Submodules {
		if s.Filled && covers([]string{s.Path}, p) {
			return true
		}
	}
	return false
}

// ignored tells which of the paths .gitignore matches, or may not be touched.
func (m *memory) ignored(ctx context.Context, paths []string) (map[string]bool, error) {
	out := map[string]bool{}
	var in bytes.Buffer
	for _, p := range paths {
		if p == "." {
			continue
		}
		if covers(append(m.rec.excluded(), agentDir), p) {
			out[p] = true
			continue
		}
		in.WriteString(p + "\x00")
	}
	if in.Len() == 0 {
		return out, nil
	}
	each := &records{each: func(s string) error { out[s] = true; return nil }}
	_, err := m.shadow.run(ctx, request{
		args: []string{"check-ignore", "-z", "--stdin"}, stdin: &in, stdout: each, env: []string{"GIT_LITERAL_PATHSPECS=0"},
	})
	if e := asGitError(err); e != nil && e.exit.Code == 1 {
		err = nil // none of them
	}
	return out, err
}

// isPlain reports whether a look found nothing that a restore would remove
// although git does not see it.
func (m *memory) isPlain(l look) bool {
	return !slices.ContainsFunc(l.found, func(f finding) bool {
		if f.kind == ignoreFile {
			return !slices.Contains(m.rec.Ignores, f.path)
		}
		return !slices.Contains(m.rec.Strange, f.path)
	})
}
