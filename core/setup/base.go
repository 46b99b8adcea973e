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

// baseReader reads files of the pristine base commit (C-MANIFEST), from the world
// that has recorded it. The workspace is opened with the first read, without any
// command: which ones there are is not known yet.
type baseReader struct {
	req    Request
	record manifest.Record
	world  world.World
	id     string
}

func (b *baseReader) read(ctx context.Context, path string) ([]byte, error) {
	if err := b.open(ctx); err != nil {
		return nil, err
	}
	text := limited{max: maxBaseFile}
	_, err := b.world.Read(ctx, b.id, b.record.BaseToken, path, &text)
	return text.buf.Bytes(), err
}

func (b *baseReader) open(ctx context.Context) error {
	if b.world != nil {
		return nil
	}
	w, err := b.req.Plugins.World(ctx, b.record.WorldName())
	if err != nil {
		return err
	}
	opened, err := w.Open(ctx, world.OpenRequest{
		RunID: b.req.RunID, Workspace: b.record.Workspace, ManifestDir: b.req.StateDir, Attach: true,
		Exclude: excluded(b.record.Workspace, b.req.StateDir, b.req.SteerFile),
	}, discard)
	if err != nil {
		return fmt.Errorf("open the workspace: %w", err)
	}
	b.world, b.id = w, opened.WorldID
	return nil
}

func (b *baseReader) close(ctx context.Context) error {
	if b.world == nil {
		return nil
	}
	w := b.world
	b.world = nil
	return w.Close(ctx, b.id)
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
