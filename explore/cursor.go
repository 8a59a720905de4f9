package explore

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"hash/fnv"
	"slices"

	"github.com/gongu-ai/gongu"
)

// A cursor says where a list of tools goes on. Tools come and go between two
// pages, so a position alone would skip some or show some twice. The cursor
// also has a mark of each of the last few tools that were shown: the list goes
// on after the last one that is still there. Only if all of them are gone it
// goes on at the position, moved back by as many tools as the list has lost.
//
// In bytes: the mark of the list, the position, the length of the list, and the
// marks of tools, the last one first.
const cursorMarks = 4

var errForeignCursor = errors.New("the cursor is not one of this list")

// mark is a short hash of a name. Two names of a list that have the same are
// rare, and cost no more than a tool shown twice.
func mark(text string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(text))
	return h.Sum32()
}

// cursorAfter is the cursor behind the first n tools of a list.
func cursorAfter(list string, tools []gongu.Tool, n int) string {
	raw := binary.BigEndian.AppendUint32(nil, mark(list))
	raw = binary.AppendUvarint(raw, uint64(n))
	raw = binary.AppendUvarint(raw, uint64(len(tools)))
	for i := n - 1; i >= max(0, n-cursorMarks); i-- {
		raw = binary.BigEndian.AppendUint32(raw, mark(tools[i].Name))
	}
	return base64.RawURLEncoding.EncodeToString(raw)
}

// resume is the position that a cursor stands for in the list as it is now. No
// cursor is the beginning.
func resume(cursor, list string, tools []gongu.Tool) (int, error) {
	if cursor == "" {
		return 0, nil
	}
	at, length, marks, err := readCursor(cursor, list)
	if err != nil {
		return 0, err
	}
	for _, shown := range marks {
		if i := slices.IndexFunc(tools, func(t gongu.Tool) bool { return mark(t.Name) == shown }); i >= 0 {
			return i + 1, nil
		}
	}
	return min(max(0, at-max(0, length-len(tools))), len(tools)), nil
}

func readCursor(cursor, list string) (at, length int, marks []uint32, err error) {
	const size = 4
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil || len(raw) < size || binary.BigEndian.Uint32(raw) != mark(list) {
		return 0, 0, nil, errForeignCursor
	}
	raw = raw[size:]
	for _, number := range []*int{&at, &length} {
		value, n := binary.Uvarint(raw)
		if n <= 0 || value > 1<<31 {
			return 0, 0, nil, errForeignCursor
		}
		*number, raw = int(value), raw[n:]
	}
	if len(raw)%size != 0 || len(raw) > cursorMarks*size {
		return 0, 0, nil, errForeignCursor
	}
	for ; len(raw) > 0; raw = raw[size:] {
		marks = append(marks, binary.BigEndian.Uint32(raw))
	}
	return at, length, marks, nil
}
