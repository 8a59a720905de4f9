// Package cursor makes the cursors of lists that change between two pages.
//
// A position alone would skip entries or show some twice. A cursor also has a
// hash of each of the last few keys that were shown: the list continues after
// the last one that is still there. Only if all of them are gone it continues
// at the position, moved back by as many entries as the list has lost: an entry
// shown twice does less harm than one never shown.
package cursor

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"hash/fnv"
)

// ErrForeign means that a text is not a cursor of this list.
var ErrForeign = errors.New("the cursor is not one of this list")

const (
	// maxKeys is how many keys a cursor remembers.
	maxKeys  = 4
	hashSize = 4
)

// After returns the cursor behind the first n entries of a list. The name of
// the list tells its cursors from those of others; key returns the key of an
// entry.
//
// In bytes: the hash of the name, n, the length of the list, and the hashes of
// the last keys, the last one first.
func After[T any](list string, entries []T, n int, key func(T) string) string {
	raw := binary.BigEndian.AppendUint32(nil, hash(list))
	raw = binary.AppendUvarint(raw, uint64(n))
	raw = binary.AppendUvarint(raw, uint64(len(entries)))
	for i := n - 1; i >= max(0, n-maxKeys); i-- {
		raw = binary.BigEndian.AppendUint32(raw, hash(key(entries[i])))
	}
	return base64.RawURLEncoding.EncodeToString(raw)
}

// Resume returns the position of a cursor in the list as it is now. The empty
// cursor is the beginning.
func Resume[T any](cursor, list string, entries []T, key func(T) string) (int, error) {
	if cursor == "" {
		return 0, nil
	}
	position, length, shown, err := parse(cursor, list)
	if err != nil {
		return 0, err
	}
	for _, last := range shown {
		for i, entry := range entries {
			if hash(key(entry)) == last {
				return i + 1, nil
			}
		}
	}
	return min(max(0, position-max(0, length-len(entries))), len(entries)), nil
}

func parse(cursor, list string) (position, length int, shown []uint32, err error) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	if err != nil || len(raw) < hashSize || binary.BigEndian.Uint32(raw) != hash(list) {
		return 0, 0, nil, ErrForeign
	}
	raw = raw[hashSize:]
	for _, number := range []*int{&position, &length} {
		value, n := binary.Uvarint(raw)
		if n <= 0 || value > 1<<31-1 {
			return 0, 0, nil, ErrForeign
		}
		*number, raw = int(value), raw[n:]
	}
	if len(raw)%hashSize != 0 || len(raw) > maxKeys*hashSize {
		return 0, 0, nil, ErrForeign
	}
	for ; len(raw) > 0; raw = raw[hashSize:] {
		shown = append(shown, binary.BigEndian.Uint32(raw))
	}
	return position, length, shown, nil
}

// hash returns a short hash. Two keys of a list rarely collide; a collision may
// repeat or skip entries.
func hash(text string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(text))
	return h.Sum32()
}
