package gitmem

import (
	"bytes"
	"compress/zlib"
	"encoding/hex"
	"fmt"
	"os"
	"strings"
	"time"
)

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
	s.dirty = true
	h := s.format.hash()
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
