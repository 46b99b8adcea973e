package inject

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"

	"github.com/crucible-engine/crucible/core/manifest"
)

// ErrSourceChanged is a source that is not what it was at the start of the run.
// No candidate is to blame for it: the run cannot go on.
var ErrSourceChanged = errors.New("the source changed during the run")

// source is where the content of an inject comes from.
type source interface {
	// open returns the content, its permission bits and its size in bytes.
	open(ctx context.Context) (io.ReadSeekCloser, fs.FileMode, int64, error)
}

// disk is a file in its place.
type disk string

func (d disk) open(context.Context) (io.ReadSeekCloser, fs.FileMode, int64, error) {
	f, info, err := manifest.OpenRegular(string(d))
	if err != nil {
		return nil, 0, 0, err
	}
	return f, info.Mode().Perm(), info.Size(), nil
}

// base is a file of the base commit.
type base struct {
	m    *manifest.Manifest
	path string
	mode fs.FileMode
}

func (b base) open(ctx context.Context) (io.ReadSeekCloser, fs.FileMode, int64, error) {
	data, err := b.m.ReadBase(ctx, b.path)
	if err != nil {
		return nil, 0, 0, err
	}
	return memory{bytes.NewReader(data)}, b.mode, int64(len(data)), nil
}

// memory is content that needs no closing.
type memory struct{ *bytes.Reader }

func (memory) Close() error { return nil }

// interruptible makes a long copy end when ctx does.
type interruptible struct {
	ctx context.Context
	r   io.Reader
}

func (i interruptible) Read(p []byte) (int, error) {
	if err := i.ctx.Err(); err != nil {
		return 0, err
	}
	return i.r.Read(p)
}
