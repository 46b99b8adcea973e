package manifest

import "strings"

// inside reports whether path is dir or below it. Both are clean and absolute.
func inside(dir, path string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/")
}
