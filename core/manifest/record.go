package manifest

import "time"

// RecordName is the record's file in the state directory.
const RecordName = "freeze.json"

// Record is what the first setup of a workspace pinned. Later runs hold the
// manifest against it, because by then the agent may have written the working
// tree (C-MANIFEST).
type Record struct {
	// Manifest and Workspace are absolute paths with symbolic links resolved.
	Manifest  string
	Workspace string
	// BaseSHA is the pristine base commit, BaseToken the world's token for it.
	BaseSHA   string
	BaseToken string
	// BlobSHA is git's id of the manifest's text.
	BlobSHA string
	// TextSHA256 is the digest of the manifest's text, in hex.
	TextSHA256 string
	// Created is when the workspace was first set up.
	Created time.Time
}

// NewRecord pins a manifest that was just loaded to the base of its workspace.
func NewRecord(m *Manifest, baseSHA, baseToken string, created time.Time) Record { return Record{} }

// ReadRecord reads dir/freeze.json. When there is none the error matches fs.ErrNotExist.
func ReadRecord(dir string) (Record, error) { return Record{}, errTODO }

// WriteRecord hands the encoded record to write, which replaces the named file
// of the state directory atomically.
func WriteRecord(r Record, write func(name string, data []byte) error) error { return errTODO }
