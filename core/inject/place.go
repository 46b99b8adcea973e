package inject

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// placing says how to place files.
type placing struct {
	// frozenOnly leaves the other files alone.
	frozenOnly bool
	// clear removes directories at destinations, and links and files where
	// directories have to be.
	clear bool
}

// maxTries bounds how often one step is tried again while something else, such
// as a process that an agent left behind, changes the same directory.
const maxTries = 16

var errUnsteady = errors.New("the workspace keeps changing under the engine")

func (s *Set) place(ctx context.Context, workspace string, how placing) error {
	root, err := openRoot(workspace)
	if err != nil {
		return fmt.Errorf("place injects: open workspace %s: %w", workspace, err)
	}
	defer root.close()
	for i := range s.files {
		f := &s.files[i]
		if how.frozenOnly && !f.frozen {
			continue
		}
		if err := placeFile(ctx, root, f, how); err != nil {
			return fmt.Errorf("place inject %s: %w", f.dst, err)
		}
	}
	return nil
}

func placeFile(ctx context.Context, root directory, f *file, how placing) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	parts := strings.Split(f.dst, "/")
	if err := checkParts(parts); err != nil {
		return err
	}
	dir, err := root.descend(parts[:len(parts)-1], how.clear)
	if err != nil {
		return err
	}
	defer dir.close()
	name := parts[len(parts)-1]
	if there, err := dir.holds(ctx, name, f); err != nil || there {
		return err
	}
	content, err := f.content(ctx)
	if err != nil {
		return err
	}
	defer content.Close()
	w, err := dir.replace(ctx, name, how.clear)
	if err != nil {
		return err
	}
	if err := f.write(ctx, w, content); err != nil {
		// Half a file is worse than none.
		return errors.Join(err, dir.unlink(name))
	}
	return nil
}

// checkParts repeats what the manifest has checked, because a mistake here
// would let a file be written anywhere.
func checkParts(parts []string) error {
	for _, p := range parts {
		if p == "" || p == "." || p == ".." || strings.EqualFold(p, ".git") || strings.ContainsRune(p, 0) {
			return errors.New("not a destination in the workspace")
		}
	}
	return nil
}

// holds reports whether the directory already has the file as it should be: a
// regular file with one name, the same permission bits and the same content.
func (d directory) holds(ctx context.Context, name string, f *file) (bool, error) {
	var st unix.Stat_t
	if err := unix.Fstatat(d.fd, name, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil || !f.looksLike(&st) {
		return false, nil
	}
	fd, err := unix.Openat(d.fd, name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return false, nil // Whatever it is, it will be replaced.
	}
	r := os.NewFile(uintptr(fd), name)
	defer r.Close()
	if err := unix.Fstat(fd, &st); err != nil || !f.looksLike(&st) {
		return false, nil
	}
	same, err := f.same(ctx, r)
	if err != nil && ctx.Err() == nil {
		return false, nil
	}
	return same, err
}

func (f *file) looksLike(st *unix.Stat_t) bool {
	return st.Mode&unix.S_IFMT == unix.S_IFREG && st.Mode&0o7777 == uint32(f.mode) && st.Nlink == 1 && st.Size == f.size
}

// replace removes what stands at name and creates a new, empty file there.
func (d directory) replace(ctx context.Context, name string, clear bool) (*os.File, error) {
	for range maxTries {
		err := d.unlink(name)
		if errors.Is(err, unix.EISDIR) && clear {
			err = d.removeTree(ctx, name)
		}
		if errors.Is(err, unix.EISDIR) {
			return nil, errors.New("a directory is at the destination")
		}
		if err != nil {
			return nil, fmt.Errorf("remove what is in the way: %w", err)
		}
		fd, err := unix.Openat(d.fd, name, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o600)
		switch {
		case err == nil:
			return os.NewFile(uintptr(fd), name), nil
		case errors.Is(err, unix.EEXIST):
		case errors.Is(err, unix.EACCES):
			if err := d.grantSelf(); err != nil {
				return nil, fmt.Errorf("create: %w", err)
			}
		default:
			return nil, fmt.Errorf("create: %w", err)
		}
	}
	return nil, errUnsteady
}

// write fills a new file and closes it.
func (f *file) write(ctx context.Context, w *os.File, content io.Reader) error {
	digest := sha256.New()
	n, err := io.Copy(io.MultiWriter(w, digest), interruptible{ctx, io.LimitReader(content, f.size+1)})
	if err == nil && (n != f.size || [sha256.Size]byte(digest.Sum(nil)) != f.sum) {
		err = ErrSourceChanged
	}
	if err == nil {
		err = w.Chmod(f.mode) // Creation is subject to the umask, this is not.
	}
	return errors.Join(err, w.Close())
}
