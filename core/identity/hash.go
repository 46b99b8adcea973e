package identity

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash/fnv"
)

// H is the short hash of the session log: FNV-1a of 64 bits over the parts, one
// more step with the byte 0x01 after each part, printed as 16 hex digits. It is
// not resistant to collisions on purpose, so it serves labels only.
func H(parts ...string) string {
	h := fnv.New64a()
	for _, p := range parts {
		h.Write([]byte(p))
		h.Write([]byte{1})
	}
	return fmt.Sprintf("%016x", h.Sum64())
}

// Fingerprint labels a segment of a run, within which scores are comparable.
// The goal is taken as it stands, without trimming.
func Fingerprint(goal, objective, regime string) string {
	return H(goal, objective, regime)
}

// sum is SHA-256 over the parts, each preceded by its length in bytes as eight
// bytes, most significant first, in hex. The lengths keep ("ab", "c") apart
// from ("a", "bc").
func sum(parts []string) string {
	h := sha256.New()
	var length [8]byte
	for _, p := range parts {
		binary.BigEndian.PutUint64(length[:], uint64(len(p)))
		h.Write(length[:])
		h.Write([]byte(p))
	}
	return hex.EncodeToString(h.Sum(nil))
}

func sha256Hex(data []byte) string {
	s := sha256.Sum256(data)
	return hex.EncodeToString(s[:])
}
