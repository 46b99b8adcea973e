package gitmem

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/zlib"
	"crypto/sha1" //nolint:gosec // git's checksum, not a secret
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A small pack is written here and not by git: a process of its own for the two
// dozen objects of a snapshot costs more than all the rest. The format is that
// of gitformat-pack, version 2, without deltas.

const (
	maxSmallPack      = 200     // objects
	maxSmallPackBytes = 4 << 20 // bytes of their files
)

// packedObject is what the index of a pack says of an object.
type packedObject struct {
	id     []byte
	offset uint32
	crc    uint32
}

// isSmall reports whether the loose objects may be packed here.
func (s *shadow) isSmall(loose []string) bool {
	var total int64
	for _, name := range loose {
		info, err := os.Lstat(filepath.Join(s.quarantine(), name))
		if err != nil {
			return false
		}
		total += info.Size()
	}
	return len(loose) <= maxSmallPack && total <= maxSmallPackBytes
}

// smallPack writes the loose objects as a pack with its index below dir and
// gives the name that both have without their suffixes.
func (s *shadow) smallPack(loose []string, dir *os.Root) (string, error) {
	z, err := zlib.NewWriterLevel(io.Discard, zlib.BestSpeed)
	if err != nil {
		return "", err
	}
	w := &packWriter{sum: s.format.hash(), shared: z}
	w.put([]byte("PACK\x00\x00\x00\x02"))
	w.put(binary.BigEndian.AppendUint32(nil, uint32(len(loose))))
	for _, name := range loose {
		if err := w.add(filepath.Join(s.quarantine(), name), strings.Replace(name, "/", "", 1)); err != nil {
			return "", fmt.Errorf("pack object %s: %w", name, err)
		}
	}
	trailer := w.sum.Sum(nil)
	w.out.Write(trailer)
	base := "pack/pack-" + hex.EncodeToString(trailer)
	err = errors.Join(
		dir.WriteFile(base+".pack", w.out.Bytes(), 0o444),
		dir.WriteFile(base+".idx", w.index(s.format, trailer), 0o444),
	)
	return base, err
}

// hash is a new hash of the format's kind.
func (f format) hash() hash.Hash {
	if f == sha256Format {
		return sha256.New()
	}
	return sha1.New() //nolint:gosec // as above
}

type packWriter struct {
	out     bytes.Buffer
	sum     hash.Hash
	shared  *zlib.Writer
	objects []packedObject
}

func (w *packWriter) put(p []byte) {
	w.out.Write(p)
	w.sum.Write(p)
}

// packTypes are the numbers that a pack has for the types of objects.
var packTypes = map[string]byte{"commit": 1, "tree": 2, "blob": 3, "tag": 4}

// maxLooseSize bounds one object, in bytes; larger ones never are loose.
const maxLooseSize = 64 << 20

// add appends one loose object.
func (w *packWriter) add(file, id string) error {
	kind, content, err := readLoose(file)
	if err != nil {
		return err
	}
	name, err := hex.DecodeString(id)
	if err != nil {
		return err
	}
	start := w.out.Len()
	size := len(content)
	head := []byte{packTypes[kind]<<4 | byte(size&15)}
	for size >>= 4; size > 0; size >>= 7 {
		head[len(head)-1] |= 0x80
		head = append(head, byte(size&0x7f))
	}
	w.out.Write(head)
	w.shared.Reset(&w.out)
	if _, err := w.shared.Write(content); err != nil {
		return err
	}
	if err := w.shared.Close(); err != nil {
		return err
	}
	entry := w.out.Bytes()[start:]
	w.sum.Write(entry)
	w.objects = append(w.objects, packedObject{id: name, offset: uint32(start), crc: crc32.ChecksumIEEE(entry)})
	return nil
}

// readLoose reads a loose object of ours.
func readLoose(file string) (kind string, content []byte, err error) {
	f, err := os.Open(file)
	if err != nil {
		return "", nil, err
	}
	defer f.Close()
	z, err := zlib.NewReader(bufio.NewReader(f))
	if err != nil {
		return "", nil, err
	}
	full, err := io.ReadAll(io.LimitReader(z, maxLooseSize))
	if err != nil {
		return "", nil, err
	}
	head, content, ok := bytes.Cut(full, []byte{0})
	kind, size, _ := strings.Cut(string(head), " ")
	if n, err := strconv.Atoi(size); !ok || err != nil || n != len(content) || packTypes[kind] == 0 {
		return "", nil, errors.New("damaged")
	}
	return kind, content, nil
}

// index is the index of the pack, version 2.
func (w *packWriter) index(f format, trailer []byte) []byte {
	slices.SortFunc(w.objects, func(a, b packedObject) int { return bytes.Compare(a.id, b.id) })
	out := []byte("\xfftOc\x00\x00\x00\x02")
	for first := range 256 {
		n, _ := slices.BinarySearchFunc(w.objects, first+1, func(o packedObject, f int) int { return cmp.Compare(int(o.id[0]), f) })
		out = binary.BigEndian.AppendUint32(out, uint32(n))
	}
	for _, o := range w.objects {
		out = append(out, o.id...)
	}
	for _, o := range w.objects {
		out = binary.BigEndian.AppendUint32(out, o.crc)
	}
	for _, o := range w.objects {
		out = binary.BigEndian.AppendUint32(out, o.offset)
	}
	out = append(out, trailer...)
	sum := f.hash()
	sum.Write(out)
	return sum.Sum(out)
}
