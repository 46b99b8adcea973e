package host

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"github.com/gofrs/flock"
	"github.com/google/renameio/v2"
	"github.com/pelletier/go-toml/v2"

	"github.com/crucible-engine/crucible/sdk/plugin"
)

const (
	maxLockFile  = 1 << 20          // bytes of a lock file that are read
	lockFileWait = 10 * time.Second // how long trust waits for another trust
)

const lockFileHeader = "# The plugins that this user trusts, written by `crucible plugin trust`.\n\n"

// Entry records that the operator trusts one binary.
type Entry struct {
	Kind string `toml:"kind"`
	Name string `toml:"name"`
	// Version and Contract are what the plugin said about itself.
	Version  string `toml:"version"`
	Contract string `toml:"contract"`
	// Path is absolute, without links.
	Path string `toml:"path"`
	// SHA256 is 64 hexadecimal digits.
	SHA256 string    `toml:"sha256"`
	Added  time.Time `toml:"added"`
	// Env names what the plugin asked for and is granted of the engine's
	// environment.
	Env []string `toml:"env,omitempty"`
}

// lockFile is the operator's record of trust.
type lockFile struct {
	path    string
	entries []Entry
}

type lockFileText struct {
	Plugin []Entry `toml:"plugin"`
}

// lockFilePath is empty when the environment does not say where it would be.
func lockFilePath(getenv func(string) string) string {
	dir := userDir(getenv, "XDG_CONFIG_HOME", ".config")
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, "crucible", "plugins.lock")
}

// readLockFile reads the record of trust; one that does not exist is empty. A
// file that another user can write is refused, since it could say anything.
func readLockFile(path string) (*lockFile, error) {
	if path == "" {
		return &lockFile{}, nil
	}
	text, err := readPrivate(path)
	if errors.Is(err, fs.ErrNotExist) {
		return &lockFile{path: path}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read plugin lock file: %w", err)
	}
	return parseLockFile(path, text)
}

func parseLockFile(path string, text []byte) (*lockFile, error) {
	var parsed lockFileText
	if err := toml.NewDecoder(bytes.NewReader(text)).DisallowUnknownFields().Decode(&parsed); err != nil {
		return nil, fmt.Errorf("%s: %w", path+position(err), err)
	}
	for i, e := range parsed.Plugin {
		if err := e.valid(); err != nil {
			return nil, fmt.Errorf("%s: entry %d: %w", path, i+1, err)
		}
	}
	return &lockFile{path: path, entries: parsed.Plugin}, nil
}

func readPrivate(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	owner, known := ownerOf(info)
	switch {
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file", path)
	case info.Mode().Perm()&0o022 != 0:
		return nil, fmt.Errorf("%s is writable by its group or by everybody; chmod 600 %s", path, path)
	case known && owner != 0 && owner != os.Geteuid():
		return nil, fmt.Errorf("%s belongs to another user (uid %d)", path, owner)
	case info.Size() > maxLockFile:
		return nil, fmt.Errorf("%s has %d bytes, at most %d are read", path, info.Size(), maxLockFile)
	}
	return io.ReadAll(io.LimitReader(file, maxLockFile))
}

// position is ":line:column" when the decoder knows it.
func position(err error) string {
	var syntax *toml.DecodeError
	if errors.As(err, &syntax) {
		line, column := syntax.Position()
		return fmt.Sprintf(":%d:%d", line, column)
	}
	var strict *toml.StrictMissingError
	if errors.As(err, &strict) && len(strict.Errors) > 0 {
		line, column := strict.Errors[0].Position()
		return fmt.Sprintf(":%d:%d", line, column)
	}
	return ""
}

var hashPattern = regexp.MustCompile(`^[0-9a-f]+$`)

func (e Entry) valid() error {
	if err := (Ref{e.Kind, e.Name}).valid(); err != nil {
		return err
	}
	if !filepath.IsAbs(e.Path) {
		return fmt.Errorf("path %q is not absolute", e.Path)
	}
	if len(e.SHA256) != 64 || !hashPattern.MatchString(e.SHA256) {
		return fmt.Errorf("sha256 %q is not 64 hexadecimal digits", e.SHA256)
	}
	for _, name := range e.Env {
		if err := grantable(name); err != nil {
			return err
		}
	}
	return nil
}

// at is the entry for a path, nil when there is none.
func (l *lockFile) at(ref Ref, path string) *Entry {
	return l.find(func(e Entry) bool { return e.Kind == ref.Kind && e.Name == ref.Name && e.Path == path })
}

func (l *lockFile) find(match func(Entry) bool) *Entry {
	if i := slices.IndexFunc(l.entries, match); i >= 0 {
		return &l.entries[i]
	}
	return nil
}

// mentions reports whether there is any entry for a plugin.
func (l *lockFile) mentions(ref Ref) bool {
	return l.find(func(e Entry) bool { return e.Kind == ref.Kind && e.Name == ref.Name }) != nil
}

// judge says whether a binary with this hash may run, and gives its entry when
// it has one. What was trusted is the content, so a copy at another path needs
// no entry of its own. A binary whose path has an entry with another hash is
// refused whoever named it; without an entry, one that the operator named is
// trusted as named.
func (l *lockFile) judge(ref Ref, path, sha256 string, origin Origin) (*Entry, error) {
	same := l.find(func(e Entry) bool { return e.Kind == ref.Kind && e.Name == ref.Name && e.SHA256 == sha256 })
	if same != nil {
		return same, nil
	}
	refusal := &TrustError{Ref: ref, Path: path, SHA256: sha256, LockFile: l.path}
	if recorded := l.at(ref, path); recorded != nil {
		refusal.Trusted = recorded.SHA256
		return nil, refusal
	}
	if origin == FromStandard {
		return nil, refusal
	}
	return nil, nil
}

// addEntry writes an entry to the record, in the place of one with the same
// path. The file is replaced as a whole, and one writer waits for another.
func addEntry(ctx context.Context, path string, entry Entry) error {
	if err := entry.valid(); err != nil {
		return fmt.Errorf("plugin lock file: %w", err)
	}
	if path == "" {
		return fmt.Errorf("plugin lock file: neither XDG_CONFIG_HOME nor HOME says where it is")
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("plugin lock file: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, lockFileWait)
	defer cancel()
	guard := flock.New(path+".guard", flock.SetPermissions(0o600))
	defer guard.Close()
	if _, err := guard.TryLockContext(ctx, 20*time.Millisecond); err != nil {
		return fmt.Errorf("plugin lock file: %s is held by another crucible: %w", guard.Path(), err)
	}
	lock, err := readLockFile(path)
	if err != nil {
		return err
	}
	lock.put(entry)
	text, err := toml.Marshal(lockFileText{lock.entries})
	if err != nil {
		return fmt.Errorf("plugin lock file: %w", err)
	}
	if err := renameio.WriteFile(path, append([]byte(lockFileHeader), text...), 0o600, renameio.WithStaticPermissions(0o600)); err != nil {
		return fmt.Errorf("write plugin lock file: %w", err)
	}
	return nil
}

func (l *lockFile) put(entry Entry) {
	l.entries = slices.DeleteFunc(l.entries, func(e Entry) bool { return e.Path == entry.Path })
	l.entries = append(l.entries, entry)
}

// newEntry is what trusting a binary records.
func newEntry(info plugin.Info, path, sha256 string, now time.Time) Entry {
	return Entry{
		Kind: info.Kind, Name: info.Name, Version: info.Version, Contract: info.Contract,
		Path: path, SHA256: sha256, Added: now.UTC().Truncate(time.Second), Env: info.NeedsEnv,
	}
}
