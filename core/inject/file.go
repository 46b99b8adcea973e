package inject

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
)

// Limits on what a set keeps in memory, in bytes. What does not fit is read
// again, and held against its digest, each time it is placed.
const (
	maxKept      = 1 << 20  // of one file
	maxKeptTotal = 64 << 20 // of all files together
)

// file is one inject as it was at the start of the run.
type file struct {
	dst    string
	frozen bool
	source source
	mode   fs.FileMode
	size   int64
	sum    [sha256.Size]byte
	// kept is the content, or nil when it is not in memory.
	kept []byte
}

// take reads the source for the first time.
func (f *file) take(ctx context.Context, room, limit int64) error {
	r, mode, size, err := f.source.open(ctx)
	if err != nil {
		return err
	}
	defer r.Close()
	if size > limit {
		return fmt.Errorf("the injects hold more bytes than the limit allows")
	}
	f.mode, f.size = mode, size
	digest := sha256.New()
	// One byte more than the size shows a file that grows.
	in := io.TeeReader(interruptible{ctx, io.LimitReader(r, size+1)}, digest)
	var n int64
	if size <= min(maxKept, room) {
		f.kept, err = io.ReadAll(in)
		n = int64(len(f.kept))
	} else {
		n, err = io.Copy(io.Discard, in)
	}
	if err == nil && n != size {
		err = errors.New("the source changed while it was read")
	}
	digest.Sum(f.sum[:0])
	return err
}

// content opens what the file has to hold. A source that is not in memory is
// read through first, so that a change of it shows before anything is removed.
func (f *file) content(ctx context.Context) (io.ReadCloser, error) {
	if f.kept != nil {
		return memory{bytes.NewReader(f.kept)}, nil
	}
	r, _, _, err := f.source.open(ctx)
	if err != nil && ctx.Err() != nil {
		return nil, ctx.Err() // The source is not to blame.
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSourceChanged, err)
	}
	same, err := f.same(ctx, r)
	if err == nil && !same {
		err = ErrSourceChanged
	}
	if err == nil {
		_, err = r.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// same reports whether r holds the file's content.
func (f *file) same(ctx context.Context, r io.Reader) (bool, error) {
	digest := sha256.New()
	n, err := io.Copy(digest, interruptible{ctx, io.LimitReader(r, f.size+1)})
	return err == nil && n == f.size && bytes.Equal(digest.Sum(nil), f.sum[:]), err
}
