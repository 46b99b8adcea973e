package manifest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// inside reports whether path is dir or below it. Both are clean and absolute.
func inside(dir, path string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/")
}

// under joins a path of the manifest to the manifest directory. It does not
// resolve "..", because with symbolic links that is not a matter of text.
func under(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return strings.TrimSuffix(dir, "/") + "/" + path
}

// maxLinks bounds the symbolic links that resolve follows, as the kernel does.
const maxLinks = 40

// resolve follows the symbolic links of an absolute path as far as it exists,
// and takes the rest as it stands. Links that lead nowhere are followed too.
func resolve(path string) (string, error) {
	done, rest := "/", strings.Split(path, "/")
	for links := 0; len(rest) > 0; {
		part := rest[0]
		rest = rest[1:]
		if part == "" || part == "." {
			continue
		}
		// Join resolves "..", which is right here: done holds no links.
		next := filepath.Join(done, part)
		info, err := os.Lstat(next)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			done = next
		case err != nil:
			return "", err
		case info.Mode()&fs.ModeSymlink == 0:
			done = next
		default:
			if links++; links > maxLinks {
				return "", fmt.Errorf("more than %d symbolic links", maxLinks)
			}
			target, err := os.Readlink(next)
			if err != nil {
				return "", err
			}
			if filepath.IsAbs(target) {
				done = "/"
			}
			rest = append(strings.Split(target, "/"), rest...)
		}
	}
	return done, nil
}
