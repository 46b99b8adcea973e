package manifest

import (
	"bytes"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/crucible-engine/crucible/sdk/contract"
)

// RecordName is the record's file in the state directory.
const RecordName = "freeze.json"

// maxRecord bounds the record's file, in bytes: it may list MaxInjects paths.
const maxRecord = 64 << 20

// Record is what the first setup of a workspace pinned. Later runs hold the
// manifest against it, because by then the agent may have written the working
// tree (C-MANIFEST).
type Record struct {
	// Manifest and Workspace are absolute paths with symbolic links resolved.
	Manifest  string `json:"manifest"`
	Workspace string `json:"workspace"`
	// BaseSHA is the pristine base commit, BaseToken the world's token for it.
	BaseSHA   string `json:"base_sha"`
	BaseToken string `json:"base_token"`
	// World names the world that recorded the base, empty for git.
	World string `json:"world,omitempty"`
	// BlobSHA is git's id of the manifest's text.
	BlobSHA string `json:"manifest_blob"`
	// TextSHA256 is the digest of the manifest's text, in hex.
	TextSHA256 string `json:"text_sha256"`
	// Created is when the workspace was first set up.
	Created time.Time `json:"created"`
	// Injects are the expanded injects of a manifest inside its workspace, where
	// the agent could add files that a string matches. Empty for one outside.
	Injects []Inject `json:"injects,omitempty"`
}

// NewRecord pins a manifest that was just loaded to the base of its workspace.
func NewRecord(m *Manifest, baseSHA, baseToken string, created time.Time) Record {
	r := Record{
		Manifest:   m.Path,
		Workspace:  m.Workspace.Dir,
		BaseSHA:    baseSHA,
		BaseToken:  baseToken,
		BlobSHA:    blobSHA(m.Text, len(baseSHA)),
		TextSHA256: sha256Hex(m.Text),
		Created:    created.UTC(),
	}
	if m.World.HasCommands() {
		r.World = m.World.Name()
	}
	if m.Inside() {
		r.Injects = m.Workspace.Inject
	}
	return r
}

// WorldName is the world that recorded the base.
func (r Record) WorldName() string {
	if r.World == "" {
		return WorldGit
	}
	return r.World
}

// ReadRecord reads dir/freeze.json. When there is none the error matches fs.ErrNotExist.
func ReadRecord(dir string) (Record, error) {
	path := filepath.Join(dir, RecordName)
	data, err := readRegular(path, maxRecord)
	if err != nil {
		return Record{}, fmt.Errorf("read %s: %w", path, err)
	}
	var r Record
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&r); err != nil {
		return Record{}, fmt.Errorf("read %s: %w", path, err)
	}
	if _, err := d.Token(); err != io.EOF {
		return Record{}, fmt.Errorf("read %s: more than one JSON value", path)
	}
	if err := r.check(); err != nil {
		return Record{}, fmt.Errorf("read %s: %w", path, err)
	}
	return r, nil
}

// WriteRecord hands the encoded record to write, which replaces the named file
// of the state directory atomically.
func WriteRecord(r Record, write func(name string, data []byte) error) error {
	if err := r.check(); err != nil {
		return fmt.Errorf("write %s: %w", RecordName, err)
	}
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return fmt.Errorf("write %s: %w", RecordName, err)
	}
	return write(RecordName, append(data, '\n'))
}

// check refuses a record that nothing of ours can have written.
func (r Record) check() error {
	for _, p := range []struct{ name, path string }{{"manifest", r.Manifest}, {"workspace", r.Workspace}} {
		if !filepath.IsAbs(p.path) || filepath.Clean(p.path) != p.path || strings.ContainsRune(p.path, 0) {
			return fmt.Errorf("%s is not an absolute path", p.name)
		}
	}
	switch {
	case !isHex(r.BaseSHA, 40, 64):
		return errors.New("base_sha is not a commit")
	case r.BaseToken == "" || len(r.BaseToken) > contract.MaxToken || !utf8.ValidString(r.BaseToken):
		return errors.New("base_token is not a token")
	case !isHex(r.BlobSHA, len(r.BaseSHA)):
		return errors.New("manifest_blob is not a git object")
	case !isHex(r.TextSHA256, 64):
		return errors.New("text_sha256 is not a digest")
	case !pluginName(r.WorldName()):
		return errors.New("world is not the name of a world")
	case r.Created.IsZero():
		return errors.New("created is missing")
	case len(r.Injects) > MaxInjects:
		return fmt.Errorf("more than %d injects", MaxInjects)
	}
	for i, e := range r.Injects {
		clean, problem := destination(e.Dst)
		if problem != "" || clean != e.Dst || !filepath.IsAbs(e.Src) || e.Mode&^0o777 != 0 {
			return fmt.Errorf("injects[%d] is not an inject", i)
		}
	}
	return nil
}

func isHex(s string, lengths ...int) bool {
	for _, n := range lengths {
		if len(s) == n && strings.Trim(s, "0123456789abcdef") == "" {
			return true
		}
	}
	return false
}

// blobSHA is git's object id of text in a repository whose commit ids have the
// given length: SHA-256 for 64 digits, else SHA-1.
func blobSHA(text []byte, length int) string {
	object := append([]byte("blob "+strconv.Itoa(len(text))+"\x00"), text...)
	if length == 2*sha256.Size {
		return sha256Hex(object)
	}
	sum := sha1.Sum(object)
	return hex.EncodeToString(sum[:])
}

func sha256Hex(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
