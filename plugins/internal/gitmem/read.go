package gitmem

import (
	"context"
	"io"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"github.com/crucible-engine/crucible/sdk/contract"
	"github.com/crucible-engine/crucible/sdk/world"
)

// Read writes one regular file of a recorded state of a world, see world.World.
func (s *Store) Read(ctx context.Context, id, token, name string, w io.Writer) (world.File, error) {
	const op = "read file"
	m, done, err := s.wait(ctx, id, op)
	if err != nil {
		return world.File{}, err
	}
	defer done()
	if !fs.ValidPath(name) || name == "." || strings.Contains(name, "\x00") {
		return world.File{}, notFound(op, printable(name, 200), "want a path inside the workspace")
	}
	at, err := m.find(ctx, op, token)
	if err != nil {
		return world.File{}, err
	}
	f, blob, err := m.entry(ctx, at, name)
	if err != nil {
		return world.File{}, classify(contract.KindInternal, op, printable(name, 200), err)
	}
	_, err = m.shadow.run(ctx, request{args: []string{"cat-file", "blob", blob}, stdout: w})
	return f, classify(contract.KindInternal, op, printable(name, 200), err)
}

// entry finds a regular file in a state.
func (m *memory) entry(ctx context.Context, at point, name string) (world.File, string, error) {
	r, err := m.shadow.run(ctx, request{args: []string{"ls-tree", "-z", "-l", "--full-tree", at.commit, "--", path.Clean(name)}})
	if err != nil {
		return world.File{}, "", err
	}
	// "100644 blob NAME     123\tpath"
	entry, found, _ := strings.Cut(strings.TrimSuffix(string(r.out), "\x00"), "\t")
	f := strings.Fields(entry)
	if len(f) != 4 || found != name || f[1] != "blob" {
		return world.File{}, "", notFound("read file", printable(name, 200), "no such file in this state")
	}
	size, err := strconv.ParseInt(f[3], 10, 64)
	if err != nil {
		return world.File{}, "", err
	}
	switch f[0] {
	case "100644":
		return world.File{Mode: 0o644, Size: size}, f[2], nil
	case "100755":
		return world.File{Mode: 0o755, Size: size}, f[2], nil
	default:
		return world.File{}, "", notFound("read file", printable(name, 200), "is no regular file")
	}
}
