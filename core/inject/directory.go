package inject

import (
	"errors"
	"fmt"
	"strconv"

	"golang.org/x/sys/unix"
)

// directory is an open directory of the workspace. All work goes through its
// descriptor and single names, so that nothing an agent renames or links can
// lead a write to another place.
type directory struct {
	fd int
	// owned: close closes the descriptor.
	owned bool
}

const openDirectory = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_CLOEXEC

func openRoot(path string) (directory, error) {
	fd, err := unix.Open(path, openDirectory, 0)
	return directory{fd, true}, err
}

func (d directory) close() {
	if d.owned {
		unix.Close(d.fd) // Nothing was written through it.
	}
}

// descend opens the directory that the names lead to, and makes those that are
// not there. The caller closes it.
func (d directory) descend(names []string, clear bool) (directory, error) {
	at := directory{fd: d.fd}
	for _, name := range names {
		next, err := at.enter(name, clear)
		at.close()
		if err != nil {
			return directory{}, err
		}
		at = next
	}
	return at, nil
}

// enter opens a directory of d, after making room for it.
func (d directory) enter(name string, clear bool) (directory, error) {
	made := false
	for range maxTries {
		fd, err := unix.Openat(d.fd, name, openDirectory, 0)
		switch {
		case err == nil:
			if made {
				err = unix.Fchmod(fd, 0o755) // Making it was subject to the umask.
			}
			return directory{fd, true}, err
		case errors.Is(err, unix.ENOENT):
			if err := d.mkdir(name); err != nil {
				return directory{}, err
			}
			made = true
		case errors.Is(err, unix.ENOTDIR), errors.Is(err, unix.ELOOP):
			if !clear {
				return directory{}, fmt.Errorf("%q is a file or a link where a directory has to be", name)
			}
			if err := d.unlink(name); err != nil && !errors.Is(err, unix.EISDIR) {
				return directory{}, fmt.Errorf("remove %q: %w", name, err)
			}
			made = false
		case errors.Is(err, unix.EACCES):
			if err := d.grant(name); err != nil {
				return directory{}, fmt.Errorf("open %q: %w", name, err)
			}
		default:
			return directory{}, fmt.Errorf("open %q: %w", name, err)
		}
	}
	return directory{}, errUnsteady
}

func (d directory) mkdir(name string) error {
	err := unix.Mkdirat(d.fd, name, 0o755)
	if errors.Is(err, unix.EACCES) {
		if err = d.grantSelf(); err == nil {
			err = unix.Mkdirat(d.fd, name, 0o755)
		}
	}
	if err != nil && !errors.Is(err, unix.EEXIST) {
		return fmt.Errorf("make directory %q: %w", name, err)
	}
	return nil
}

// unlink removes a file or link. That there is none is no error; a directory
// is one that matches EISDIR.
func (d directory) unlink(name string) error {
	err := unix.Unlinkat(d.fd, name, 0)
	if errors.Is(err, unix.EACCES) {
		if err = d.grantSelf(); err == nil {
			err = unix.Unlinkat(d.fd, name, 0)
		}
	}
	if errors.Is(err, unix.ENOENT) {
		return nil
	}
	return err
}

// grantSelf gives the owner all rights on the directory itself.
func (d directory) grantSelf() error {
	var st unix.Stat_t
	if err := unix.Fstat(d.fd, &st); err != nil {
		return err
	}
	if st.Mode&0o700 == 0o700 {
		return unix.EACCES // Rights are not what is missing.
	}
	return unix.Fchmod(d.fd, st.Mode&0o7777|0o700)
}

// grant gives the owner all rights on a directory that cannot be opened. The
// detour over /proc changes exactly the directory that was looked at: there is
// no other way to change the rights of a name without following a link.
func (d directory) grant(name string) error {
	fd, err := unix.Openat(d.fd, name, unix.O_PATH|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return err
	}
	if st.Mode&0o700 == 0o700 {
		return unix.EACCES
	}
	return unix.Chmod("/proc/self/fd/"+strconv.Itoa(fd), st.Mode&0o7777|0o700)
}
