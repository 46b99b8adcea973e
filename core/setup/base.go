package setup

import (
	"bytes"
	"context"
	"fmt"

	"github.com/crucible-engine/crucible/core/manifest"
	"github.com/crucible-engine/crucible/sdk/world"
)

// maxBaseFile bounds what is read from the base commit, in bytes. It is that of
// the largest inject.
const maxBaseFile = 64 << 20

// baseReader reads files of the pristine base commit (C-MANIFEST). Whatever
// world the manifest asks for, its memory is git. The workspace is opened with
// the first read.
type baseReader struct {
	req    Request
	record manifest.Record
	git    world.World
	id     string
}

func (b *baseReader) read(ctx context.Context, path string) ([]byte, error) {
	if err := b.open(ctx); err != nil {
		return nil, err
	}
	text := limited{max: maxBaseFile}
	_, err := b.git.Read(ctx, b.id, b.record.BaseSHA, path, &text)
	return text.buf.Bytes(), err
}

func (b *baseReader) open(ctx context.Context) error {
	if b.git != nil {
		return nil
	}
	git, err := b.req.Plugins.World(ctx, "git")
	if err != nil {
		return err
	}
	opened, err := git.Open(ctx, world.OpenRequest{
		RunID: b.req.RunID, Workspace: b.record.Workspace, ManifestDir: b.req.StateDir, Attach: true,
		Exclude: excluded(b.record.Workspace, b.req.StateDir, b.req.SteerFile),
	}, discard)
	if err != nil {
		return fmt.Errorf("open the workspace: %w", err)
	}
	b.git, b.id = git, opened.WorldID
	return nil
}

func (b *baseReader) close(ctx context.Context) error {
	if b.git == nil {
		return nil
	}
	git := b.git
	b.git = nil
	return git.Close(ctx, b.id)
}

// limited is a writer that refuses what goes over its limit.
type limited struct {
	buf bytes.Buffer
	max int
}

func (l *limited) Write(p []byte) (int, error) {
	if l.buf.Len()+len(p) > l.max {
		return 0, fmt.Errorf("larger than %d bytes", l.max)
	}
	return l.buf.Write(p)
}
