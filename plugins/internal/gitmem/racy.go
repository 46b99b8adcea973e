package gitmem

import (
	"bytes"
	"crypto/sha1" //nolint:gosec // the format's own checksum
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"os"
	"time"
)

// clockSlack is how far the times of files lag behind the clock.
const clockSlack = 50 * time.Millisecond

// distrust makes git look into every file of an index that was changed in the
// second in which a call that began at since looked at it, or later. Git compares
// times by the second: a change of the same size, made within that second by
// whoever sets the modification time back, would never be seen. What git does
// about such files when it sees them itself, a size of zero, is done here.
func (s *shadow) distrust(index string, since time.Time) error {
	name := s.path(index)
	info, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look at the index: %w", err)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return fmt.Errorf("look at the index: %w", err)
	}
	changed, err := smudge(data, s.format, uint32(since.Add(-clockSlack).Unix()))
	if err != nil || !changed {
		return err
	}
	// It keeps its time, up to which git takes its word for what did not change,
	// and gets another file: other names of the old one keep what they have.
	temporary := name + ".new"
	err = os.WriteFile(temporary, data, 0o600)
	if err == nil {
		err = os.Chtimes(temporary, info.ModTime(), info.ModTime())
	}
	if err == nil {
		err = os.Rename(temporary, name)
	}
	if err != nil {
		return fmt.Errorf("write the index: %w", err)
	}
	return nil
}

// The layout of an index of version 2 or 3.
const (
	indexHeader  = 12
	indexStat    = 40 // the part of an entry before its object id
	sizeOffset   = 36
	extendedFlag = 0x4000
)

var errIndex = errors.New("the index has a form that is not known")

// smudge clears the size of the entries whose file was changed at second or
// later, and reports whether there were any.
func smudge(data []byte, f format, second uint32) (changed bool, err error) {
	sum := f.checksum()
	if len(data) < indexHeader+sum.Size() || !bytes.HasPrefix(data, []byte("DIRC")) {
		return false, errIndex
	}
	version, count := binary.BigEndian.Uint32(data[4:]), binary.BigEndian.Uint32(data[8:])
	if version != 2 && version != 3 {
		return false, errIndex
	}
	end, at := len(data)-sum.Size(), indexHeader
	for range count {
		fixed := indexStat + sum.Size() + 2
		if end-at < fixed {
			return false, errIndex
		}
		if binary.BigEndian.Uint16(data[at+fixed-2:])&extendedFlag != 0 {
			fixed += 2
		}
		length := bytes.IndexByte(data[min(at+fixed, end):end], 0)
		if length < 0 {
			return false, errIndex
		}
		if binary.BigEndian.Uint32(data[at:]) >= second && binary.BigEndian.Uint32(data[at+sizeOffset:]) != 0 {
			binary.BigEndian.PutUint32(data[at+sizeOffset:], 0)
			changed = true
		}
		at += (fixed + length + 8) &^ 7
	}
	if !changed {
		return false, nil
	}
	sum.Write(data[:end])
	copy(data[end:], sum.Sum(nil))
	return true, nil
}

// checksum is the hash function of the format.
func (f format) checksum() hash.Hash {
	if f == sha256Format {
		return sha256.New()
	}
	return sha1.New() //nolint:gosec // the format's own
}
