package gitmem

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

const mergeIndex = "index.merge"

// maxMerge bounds the files that are merged by their lines, in bytes.
const maxMerge = 16 << 20

// unmerged is a path that both sides changed: what it is in the base, here and
// there.
type unmerged struct {
	path  string
	stage [3]blob // base, ours, theirs
}

// blob is one version of a path; the zero value is its absence.
type blob struct{ mode, id string }

// merge joins two trees that come from one base, in an index of its own. Paths
// that only one side changed are taken from it, regular files that both changed
// are merged by their lines, and everything else is a conflict.
func (m *memory) merge(ctx context.Context, base, ours, theirs string) (tree string, conflicts []string, err error) {
	defer os.Remove(m.shadow.path(mergeIndex))
	_ = os.Remove(m.shadow.path(mergeIndex))
	run := func(r request) (result, error) {
		r.index = mergeIndex
		return m.shadow.run(ctx, r)
	}
	if _, err := run(request{args: []string{"read-tree", "-i", "-m", "--aggressive", base, ours, theirs}}); err != nil {
		return "", nil, err
	}
	open, err := m.unmerged(ctx)
	if err != nil {
		return "", nil, err
	}
	var solved bytes.Buffer
	for _, u := range open {
		b, ok, err := m.mergeFile(ctx, u)
		if err != nil {
			return "", nil, err
		}
		if !ok {
			conflicts = append(conflicts, u.path)
			continue
		}
		fmt.Fprintf(&solved, "0 %s\t%s\x00%s %s 0\t%s\x00", m.shadow.format.none(), u.path, b.mode, b.id, u.path)
	}
	if len(conflicts) > 0 {
		return "", conflicts, nil
	}
	if solved.Len() > 0 {
		if _, err := run(request{args: []string{"update-index", "-z", "--index-info"}, stdin: &solved}); err != nil {
			return "", nil, err
		}
	}
	r, err := run(request{args: []string{"write-tree"}})
	return r.text(), nil, err
}

// unmerged lists the paths that the trees alone do not decide.
func (m *memory) unmerged(ctx context.Context) ([]unmerged, error) {
	var open []unmerged
	each := &records{each: func(s string) error {
		// "100644 ID STAGE\tpath"
		entry, p, _ := strings.Cut(s, "\t")
		f := strings.Fields(entry)
		if len(f) != 3 || len(f[2]) != 1 || !strings.Contains("123", f[2]) {
			return fmt.Errorf("unexpected line %q", printable(s, 100))
		}
		if len(open) == 0 || open[len(open)-1].path != p {
			open = append(open, unmerged{path: p})
		}
		open[len(open)-1].stage[f[2][0]-'1'] = blob{mode: f[0], id: f[1]}
		return nil
	}}
	_, err := m.shadow.run(ctx, request{args: []string{"ls-files", "-u", "-z"}, index: mergeIndex, stdout: each})
	return open, err
}

// mergeFile merges one path by its lines; false is a conflict.
func (m *memory) mergeFile(ctx context.Context, u unmerged) (blob, bool, error) {
	for _, b := range u.stage {
		if b.mode != "100644" && b.mode != "100755" {
			return blob{}, false, nil
		}
	}
	base, ours, theirs := u.stage[0], u.stage[1], u.stage[2]
	out := blob{mode: ours.mode, id: ours.id}
	if ours.mode == base.mode {
		out.mode = theirs.mode
	}
	switch {
	case ours.id == theirs.id || theirs.id == base.id:
		return out, true, nil
	case ours.id == base.id:
		out.id = theirs.id
		return out, true, nil
	}
	dir, err := os.MkdirTemp(m.dir, "merge-")
	if err != nil {
		return blob{}, false, err
	}
	defer removeTree(dir)
	names := []string{"ours", "base", "theirs"}
	for i, b := range []blob{ours, base, theirs} {
		fits, err := m.extract(ctx, b.id, filepath.Join(dir, names[i]))
		if err != nil || !fits {
			return blob{}, false, err
		}
		names[i] = filepath.Join(dir, names[i])
	}
	merged := filepath.Join(dir, "ours")
	_, err = m.shadow.run(ctx, request{args: slices.Concat([]string{"merge-file", "-q"}, names)})
	if asGitError(err) != nil {
		return blob{}, false, nil // conflicting lines, or binary
	}
	if err != nil {
		return blob{}, false, err
	}
	out.id, err = m.shadow.ask(ctx, "hash-object", "-w", "--no-filters", "--", merged)
	return out, err == nil, err
}

// extract writes a blob to a file; false when it is too large to merge.
func (m *memory) extract(ctx context.Context, id, file string) (bool, error) {
	size, err := m.shadow.ask(ctx, "cat-file", "-s", id)
	if err != nil {
		return false, err
	}
	if n, err := strconv.ParseInt(size, 10, 64); err != nil || n > maxMerge {
		return false, err
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return false, err
	}
	_, err = m.shadow.run(ctx, request{args: []string{"cat-file", "blob", id}, stdout: f})
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	return true, err
}
