package httpapi

import (
	"encoding/base64"
	"encoding/binary"

	"github.com/gongu-ai/gongu/internal/lang"
)

// page cuts a list. Entries come and go between two pages, so a cursor has the
// key of the last one shown. In case that one is gone it also has its place,
// which is moved back by as many entries as the list has lost: one that is
// shown twice does less harm than one that is never shown.
func page[T any](x *exchange, items []T, key func(T) string) (part []T, next string, err error) {
	limit, err := x.limit(defaultLimit, maxLimit)
	if err != nil {
		return nil, "", err
	}
	begin := 0
	if cursor := x.query("cursor"); cursor != "" {
		place, length, last, ok := readCursor(x.route.id, cursor)
		if !ok {
			return nil, "", fail(CodeInvalid, lang.APIBadValue.With("cursor", clip(cursor)), lang.APICursorHint.With())
		}
		begin = min(max(0, place-max(0, length-len(items))), len(items))
		for i, item := range items {
			if key(item) == last {
				begin = i + 1
				break
			}
		}
	}
	end := min(begin+limit, len(items))
	if end < len(items) {
		next = makeCursor(x.route.id, end, len(items), key(items[end-1]))
	}
	return append([]T{}, items[begin:end]...), next, nil
}

// makeCursor names the list too, so that a cursor of another is refused.
func makeCursor(list string, place, length int, last string) string {
	raw := append([]byte(list), 0)
	raw = binary.AppendUvarint(raw, uint64(place))
	raw = binary.AppendUvarint(raw, uint64(length))
	return base64.RawURLEncoding.EncodeToString(append(raw, last...))
}

func readCursor(list, cursor string) (place, length int, last string, ok bool) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	head := len(list) + 1
	if err != nil || len(raw) < head || string(raw[:head]) != list+"\x00" {
		return 0, 0, "", false
	}
	raw = raw[head:]
	for _, number := range []*int{&place, &length} {
		value, n := binary.Uvarint(raw)
		if n <= 0 || value > 1<<31-1 {
			return 0, 0, "", false
		}
		*number, raw = int(value), raw[n:]
	}
	return place, length, string(raw), true
}
