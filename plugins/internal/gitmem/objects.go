package gitmem

import (
	"bytes"
	"compress/zlib"
	"context"
	"crypto/sha1" //nolint:gosec // the name of an object, not a secret
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"
)

// packAbove is how many new objects make a pack worth its process.
const packAbove = 500

// fresh lists the object files in the quarantine as paths below an object
// directory: loose ones first, then packs with the index last, so that whoever
// copies in this order never shows an index without its pack.
func (s *shadow) fresh() ([]string, error) {
	var loose, packs []string
	dirs, err := os.ReadDir(s.quarantine())
	if err != nil {
		return nil, err
	}
	for _, d := range dirs {
		if !d.IsDir() || d.Name() != "pack" && (len(d.Name()) != 2 || !isHex(d.Name())) {
			continue
		}
		files, err := os.ReadDir(filepath.Join(s.quarantine(), d.Name()))
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			name := path.Join(d.Name(), f.Name())
			switch {
			case d.Name() != "pack" && isHex(f.Name()) && len(f.Name()) == s.format.size()-2:
				loose = append(loose, name)
			case strings.HasSuffix(name, ".idx"):
				packs = append(packs, strings.TrimSuffix(name, ".idx")+".pack", name)
			}
		}
	}
	return append(loose, packs...), nil
}

// compact packs the loose objects of the quarantine when they are many.
func (s *shadow) compact(ctx context.Context) error {
	names, err := s.fresh()
	if err != nil {
		return err
	}
	var ids bytes.Buffer
	var loose []string
	for _, n := range names {
		if !strings.HasPrefix(n, "pack/") {
			loose = append(loose, n)
			fmt.Fprintln(&ids, strings.Replace(n, "/", "", 1))
		}
	}
	if len(loose) < packAbove {
		return nil
	}
	if err := os.MkdirAll(filepath.Join(s.quarantine(), "pack"), 0o700); err != nil {
		return err
	}
	_, err = s.run(ctx, request{args: []string{"pack-objects", "-q", filepath.Join(s.quarantine(), "pack", "pack")}, stdin: &ids})
	if err != nil {
		return fmt.Errorf("pack new objects: %w", err)
	}
	for _, n := range loose {
		if err := os.Remove(filepath.Join(s.quarantine(), n)); err != nil {
			return err
		}
	}
	return nil
}

// keep moves objects from the quarantine to the shadow.
func (s *shadow) keep(names []string) error {
	for _, name := range names {
		to := s.path("objects", name)
		from := filepath.Join(s.quarantine(), name)
		err := os.Rename(from, to)
		if errors.Is(err, fs.ErrNotExist) {
			if err = os.MkdirAll(filepath.Dir(to), 0o700); err == nil {
				err = os.Rename(from, to)
			}
		}
		if err != nil {
			return fmt.Errorf("keep object %s: %w", name, err)
		}
	}
	return nil
}

// clearQuarantine forgets the objects that belong to no recorded state.
func (s *shadow) clearQuarantine() error {
	entries, err := os.ReadDir(s.quarantine())
	if errors.Is(err, fs.ErrNotExist) {
		return os.MkdirAll(s.quarantine(), 0o700)
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := os.RemoveAll(filepath.Join(s.quarantine(), e.Name())); err != nil {
			return err
		}
	}
	return nil
}

// commit is a commit to be written.
type commit struct {
	tree, parent string
	name, email  string
	at           time.Time
	label        string
}

const maxLabel = 4096

// encode gives the commit's content as git stores it.
func (c commit) encode() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "tree %s\n", c.tree)
	if c.parent != "" {
		fmt.Fprintf(&b, "parent %s\n", c.parent)
	}
	stamp := fmt.Sprintf("%s <%s> %d %s", c.name, c.email, c.at.Unix(), c.at.Format("-0700"))
	fmt.Fprintf(&b, "author %s\ncommitter %s\n\n", stamp, stamp)
	label := strings.ToValidUTF8(strings.ReplaceAll(c.label, "\x00", ""), "?")
	if len(label) > maxLabel {
		label = strings.ToValidUTF8(label[:maxLabel], "")
	}
	if label = strings.TrimSpace(label); label == "" {
		label = "snapshot"
	}
	b.WriteString(label + "\n")
	return b.Bytes()
}

// writeObject stores an object in the quarantine, as git would, and gives its
// name. A process of git's own for a commit of 200 bytes costs more than the
// rest of a small snapshot.
func (s *shadow) writeObject(kind string, content []byte) (id string, err error) {
	full := append(fmt.Appendf(nil, "%s %d\x00", kind, len(content)), content...)
	var h hash.Hash = sha1.New() //nolint:gosec // as above
	if s.format == sha256Format {
		h = sha256.New()
	}
	h.Write(full)
	id = hex.EncodeToString(h.Sum(nil))

	var packed bytes.Buffer
	z, err := zlib.NewWriterLevel(&packed, zlib.BestSpeed)
	if err != nil {
		return "", err
	}
	if _, err := z.Write(full); err != nil {
		return "", err
	}
	if err := z.Close(); err != nil {
		return "", err
	}
	root, err := os.OpenRoot(s.quarantine())
	if err != nil {
		return "", err
	}
	defer root.Close()
	if err := root.MkdirAll(id[:2], 0o700); err != nil {
		return "", err
	}
	return id, replaceFile(root, id[:2]+"/"+id[2:], packed.Bytes(), 0o444)
}

// copyFile copies a file of ours into root, under a temporary name first.
func copyFile(root *os.Root, name, from string, mode fs.FileMode) error {
	src, err := os.Open(from)
	if err != nil {
		return err
	}
	defer src.Close()
	temporary := path.Join(path.Dir(name), ".crucible-"+path.Base(name))
	if err := root.Remove(temporary); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	dst, err := root.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = io.CopyBuffer(struct{ io.Writer }{dst}, struct{ io.Reader }{src}, make([]byte, 32<<10))
	if closeErr := dst.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = root.Rename(temporary, name)
	}
	if err != nil {
		_ = root.Remove(temporary)
	}
	return err
}
