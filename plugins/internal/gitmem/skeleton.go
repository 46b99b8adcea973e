package gitmem

import (
	"fmt"
	"os"
	"path"
	"strings"
)

// format is the hash that names objects: "sha1" or "sha256".
type format string

const (
	sha1Format   format = "sha1"
	sha256Format format = "sha256"
)

// size is the length of an object's name in hexadecimal digits.
func (f format) size() int {
	if f == sha256Format {
		return 64
	}
	return 40
}

// emptyTree names the tree without entries, which git knows without having it.
func (f format) emptyTree() string {
	if f == sha256Format {
		return "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321"
	}
	return "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
}

// emptyBlob names the blob without content.
func (f format) emptyBlob() string {
	if f == sha256Format {
		return "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813"
	}
	return "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
}

// none names no object.
func (f format) none() string { return strings.Repeat("0", f.size()) }

// isID reports whether s is the full name of an object.
func (f format) isID(s string) bool { return len(s) == f.size() && isHex(s) }

func isHex(s string) bool {
	return s != "" && strings.Trim(s, "0123456789abcdef") == ""
}

// formatOf is the format that names like id belong to.
func formatOf(id string) format {
	if len(id) == sha256Format.size() {
		return sha256Format
	}
	return sha1Format
}

// extensions is the part of a repository's configuration that names its format.
func (f format) extensions() string {
	if f == sha256Format {
		return "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tobjectformat = sha256\n"
	}
	return "[core]\n\trepositoryformatversion = 0\n"
}

// skeleton makes an empty repository in dir, which must exist. What git init
// would do, without its templates and without a process.
func skeleton(dir *os.Root, config, head string) error {
	for _, sub := range []string{"objects/info", "objects/pack", "refs/heads", "refs/tags", "info"} {
		if err := dir.MkdirAll(sub, 0o777); err != nil {
			return fmt.Errorf("make a repository: %w", err)
		}
	}
	for name, text := range map[string]string{"config": config, "HEAD": head} {
		if err := replaceFile(dir, name, []byte(text), 0o666); err != nil {
			return fmt.Errorf("make a repository: %w", err)
		}
	}
	return nil
}

// headText is what HEAD holds: a branch, or without one a commit.
func headText(branch, commit string) string {
	if branch != "" {
		return "ref: " + branch + "\n"
	}
	return commit + "\n"
}

// replaceFile writes a file under a temporary name and renames it. The name may
// not be taken by a directory.
func replaceFile(dir *os.Root, name string, data []byte, mode os.FileMode) error {
	temporary := path.Join(path.Dir(name), ".crucible-"+path.Base(name))
	if err := dir.Remove(temporary); err != nil && !os.IsNotExist(err) {
		return err
	}
	f, err := dir.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = dir.Rename(temporary, name)
	}
	if err != nil {
		_ = dir.Remove(temporary)
	}
	return err
}
