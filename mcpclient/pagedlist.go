package mcpclient

import (
	"encoding/json"
	"errors"

	"github.com/gongu-ai/gongu/internal/rawjson"
)

const (
	// MaxList is the most bytes of one list of a server, all pages together.
	MaxList = 32 << 20
	// MaxItems is the most entries of one list that are taken.
	MaxItems = 10_000
)

var (
	// ErrManyItems ends a list that has more entries than are taken.
	ErrManyItems = errors.New("the list has too many entries")
	// ErrCursorRepeats ends a list whose next page was read already.
	ErrCursorRepeats = errors.New("the list gives the same page again")
)

// PagedList reads a list of a server (tools, resources, resource templates,
// prompts) page by page within a budget. It holds none of the pages. The zero
// value of a limit takes the default.
type PagedList struct {
	// Field is the member of a page that has the entries.
	Field string
	// Bytes limits the pages together (default [MaxList]), Items the entries
	// (default [MaxItems]).
	Bytes, Items int

	bytes, items int
	seen         map[string]bool
	cursor       string
}

// Params are the parameters of the request for the next page.
func (l *PagedList) Params() json.RawMessage {
	if l.cursor == "" {
		return nil
	}
	return object([]member{{"cursor", quote(l.cursor)}})
}

// More reports whether the last page named another one.
func (l *PagedList) More() bool { return l.cursor != "" }

// Add counts a page and calls item for each of its entries, which are parts of
// the page. After an error there is no further page.
func (l *PagedList) Add(page json.RawMessage, item func(json.RawMessage)) error {
	l.cursor = ""
	if l.bytes += len(page); l.bytes > orDefault(l.Bytes, MaxList) {
		return faultf(ReasonTooLarge, true, "the list of %s has more than %d bytes", l.Field, orDefault(l.Bytes, MaxList))
	}
	if err := rawjson.Valid(page, maxNested); err != nil {
		return faultf(ReasonProtocol, true, "the list of %s is %w", l.Field, err)
	}
	entries := rawjson.Member(page, l.Field)
	if !isNull(entries) {
		err := rawjson.Elements(entries, func(entry json.RawMessage) error {
			if l.items == orDefault(l.Items, MaxItems) {
				return ErrManyItems
			}
			l.items++
			item(entry)
			return nil
		})
		if errors.Is(err, rawjson.ErrKind) {
			err = faultf(ReasonProtocol, true, "the list of %s is not an array", l.Field)
		}
		if err != nil {
			return err
		}
	}
	next := rawjson.Text(rawjson.Member(page, "nextCursor"))
	if next == "" {
		return nil
	}
	if l.seen[next] {
		return ErrCursorRepeats
	}
	if l.seen == nil {
		l.seen = map[string]bool{}
	}
	l.seen[next], l.cursor = true, next
	return nil
}

func orDefault(limit, or int) int {
	if limit <= 0 {
		return or
	}
	return limit
}
