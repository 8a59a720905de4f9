package httpapi

import (
	"github.com/gongu-ai/gongu/internal/cursor"
	"github.com/gongu-ai/gongu/internal/lang"
)

// page returns the part of a list that a request asks for, and the cursor of
// the next part.
func page[T any](x *exchange, items []T, key func(T) string) (part []T, next string, err error) {
	limit, err := x.limit(defaultLimit, maxLimit)
	if err != nil {
		return nil, "", err
	}
	asked := x.query("cursor")
	begin, err := cursor.Resume(asked, x.route.id, items, key)
	if err != nil {
		return nil, "", fail(CodeInvalid, lang.APIBadValue.With("cursor", clip(asked)), lang.APICursorHint.With())
	}
	end := min(begin+limit, len(items))
	if end < len(items) {
		next = cursor.After(x.route.id, items, end, key)
	}
	return append([]T{}, items[begin:end]...), next, nil
}
