package gongu

import (
	"encoding/binary"
	"encoding/hex"
	"math/rand/v2"
)

// newID returns a random identifier. It is not a secret.
func newID(prefix string) string {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], rand.Uint64())
	return prefix + hex.EncodeToString(b[:])
}

func newTraceID() string {
	var b [16]byte
	binary.BigEndian.PutUint64(b[:8], rand.Uint64())
	binary.BigEndian.PutUint64(b[8:], rand.Uint64())
	return hex.EncodeToString(b[:])
}
