package gitmem

import (
	"fmt"
	"strings"
)

// disturbances are what git leaves while something is going on. After an
// operation of ours nothing is.
var disturbances = []string{
	"index.lock", "HEAD.lock", "MERGE_HEAD", "MERGE_MSG", "MERGE_MODE", "MERGE_RR", "AUTO_MERGE", "SQUASH_MSG",
	"CHERRY_PICK_HEAD", "REVERT_HEAD", "REBASE_HEAD", "BISECT_LOG", "BISECT_START", "BISECT_TERMS",
	"BISECT_EXPECTED_REV", "BISECT_ANCESTORS_OK", "BISECT_NAMES", "BISECT_RUN",
	"rebase-merge", "rebase-apply", "sequencer", "NOTES_MERGE_WORKTREE",
}

// replaceRefs make git show one object in the place of another.
const replaceRefs = "refs/replace"

// quiet ends what is going on, and takes replacements of objects away unless the
// repository came with some.
func (m *memory) quiet(r *roots) error {
	for _, name := range disturbances {
		if _, err := r.git.Lstat(name); err != nil {
			continue
		}
		if err := removeIn(r.git, name); err != nil {
			return fmt.Errorf("remove .git/%s: %w", name, err)
		}
	}
	if m.rec.Replaces {
		return nil
	}
	if _, err := r.common.Lstat(replaceRefs); err == nil {
		if err := removeIn(r.common, replaceRefs); err != nil {
			return fmt.Errorf("remove .git/%s: %w", replaceRefs, err)
		}
	}
	return m.unpackReplacements(r)
}

// unpackReplacements does the same for packed references, when their file
// changed.
func (m *memory) unpackReplacements(r *roots) error {
	const name = "packed-refs"
	info, err := r.common.Lstat(name)
	if err != nil || m.sealed[name] == stampOf(info) {
		return nil
	}
	if text, err := readSmall(r.common, name); err == nil && strings.Contains(string(text), " "+replaceRefs+"/") {
		var kept []string
		for _, line := range strings.Split(string(text), "\n") {
			if !strings.Contains(line, " "+replaceRefs+"/") {
				kept = append(kept, line)
			}
		}
		if err := replaceFile(r.common, name, []byte(strings.Join(kept, "\n")), 0o666); err != nil {
			return fmt.Errorf("write .git/%s: %w", name, err)
		}
		if info, err = r.common.Lstat(name); err != nil {
			return err
		}
	}
	m.sealed[name] = stampOf(info)
	return nil
}
