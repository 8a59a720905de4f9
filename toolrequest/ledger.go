package toolrequest

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/near"
)

// entry is a request with the other fields of its file.
type entry struct {
	Request
	// extra are fields that this package does not know.
	extra []field
	// raw is the entry as it was read; nil for one that is new or changed.
	raw []byte
}

type field struct {
	name  string
	value []byte
}

// ledger is a queue in memory and the rules about it. It does no I/O.
type ledger struct {
	entries []*entry
	// archived are entries that moved away, as far as they were needed.
	archived []*entry
	// high is the number of the highest id that was ever seen.
	high int64
}

const (
	idPrefix = "req_"
	// maxDigits bounds the ids that count: a longer one is of another system,
	// such as a time in milliseconds.
	maxDigits = 12
	maxNumber = 999_999_999_999
)

func idOf(number int64) string { return fmt.Sprintf("%s%03d", idPrefix, number) }

// numberOf reads our ids and no others.
func numberOf(id string) (int64, bool) {
	digits, ok := strings.CutPrefix(id, idPrefix)
	if !ok || digits == "" || len(digits) > maxDigits || strings.Trim(digits, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	return n, err == nil
}

func highest(entries []*entry) int64 {
	var high int64
	for _, e := range entries {
		if n, ok := numberOf(e.ID); ok {
			high = max(high, n)
		}
	}
	return high
}

// add expects a request that was checked. place names the queue in errors.
func (l *ledger) add(n New, maxOpen int, now time.Time, place string) (r Request, already bool, err error) {
	open := 0
	for _, e := range l.entries {
		if e.Status != Queued {
			continue
		}
		if e.Name == n.Name {
			return e.copy(), true, nil
		}
		open++
	}
	if open >= maxOpen {
		return Request{}, false, lang.NewError(ErrFull, lang.RequestFull.With(open), lang.RequestFullHint.With())
	}
	if l.high >= maxNumber {
		return Request{}, false, lang.NewError(ErrFull, lang.RequestNoIDs.With(place, idOf(l.high)), lang.RequestNoIDsHint.With())
	}
	l.high++
	e := &entry{Request: Request{
		ID: idOf(l.high), Name: n.Name, Description: n.Description, Rationale: n.Rationale,
		SuggestedParams: n.SuggestedParams, Status: Queued, CreatedAt: now, Agent: n.Agent, Principal: n.Principal, Proposal: n.Proposal,
	}}
	l.entries = append(l.entries, e)
	return e.copy(), false, nil
}

// copy returns a request that shares nothing with the ledger.
func (e *entry) copy() Request {
	r := e.Request
	r.SuggestedParams = slices.Clone(r.SuggestedParams)
	r.Proposal = slices.Clone(r.Proposal)
	return r
}

func (l *ledger) find(id string) *entry {
	for _, list := range [][]*entry{l.entries, l.archived} {
		for _, e := range list {
			if e.ID == id {
				return e
			}
		}
	}
	return nil
}

func (l *ledger) get(id string) (*entry, error) {
	if e := l.find(id); e != nil {
		return e, nil
	}
	hint := lang.RequestListThem.With()
	nearest := l.near(id)
	if len(nearest) > 0 {
		hint = lang.RequestDidYouMean.With(strings.Join(nearest, ", "))
	}
	e := lang.NewError(ErrNotFound, lang.RequestUnknown.With(shortened(id)), hint)
	e.Near = nearest
	return nil, e
}

// near finds the ids that may be meant. A number says which one; else it is for
// the spelling to say.
func (l *ledger) near(id string) []string {
	digits := strings.TrimLeft(strings.TrimLeft(strings.ToLower(strings.TrimSpace(id)), "reqst-_# "), "0")
	if n, ok := numberOf(idPrefix + digits); ok && l.find(idOf(n)) != nil {
		return []string{idOf(n)}
	}
	return near.Names(id, func(yield func(string) bool) {
		for _, list := range [][]*entry{l.entries, l.archived} {
			for _, e := range list {
				if !yield(e.ID) {
					return
				}
			}
		}
	}, 3)
}

// review expects a decision that was checked.
func (l *ledger) review(id string, d Decision, now time.Time) (Request, error) {
	e, err := l.get(id)
	if err != nil {
		return Request{}, err
	}
	if !e.Status.mayBecome(d.Status) {
		hint := lang.RequestClosedAlready.With()
		if e.Reviewer != "" {
			hint = lang.RequestClosedBy.With(e.Reviewer, e.ReviewedAt.Format(time.RFC3339))
		}
		return Request{}, lang.NewError(ErrDecided, lang.RequestClosed.With(e.ID, string(e.Status), string(d.Status)), hint)
	}
	if err := e.checkShown(d.Digest); err != nil {
		return Request{}, err
	}
	e.Status, e.Reviewer, e.Reason, e.ReviewedAt = d.Status, d.Reviewer, d.Reason, now
	e.raw = nil
	return e.copy(), nil
}

// checkShown refuses a decision about another content than the reviewer saw.
func (r Request) checkShown(digest string) error {
	if now := r.Digest(); digest != "" && digest != now {
		return lang.NewError(ErrChanged, lang.RequestChanged.With(r.ID, digest, now), lang.RequestChangedHint.With(r.ID))
	}
	return nil
}

// awaits reports whether a tool of one of the names would fulfil anything.
func (l *ledger) awaits(names map[string]bool) bool {
	for _, list := range [][]*entry{l.entries, l.archived} {
		for _, e := range list {
			if e.Status.mayBecome(Fulfilled) && names[e.Name] {
				return true
			}
		}
	}
	return false
}

func setOf(names []string) map[string]bool {
	set := make(map[string]bool, len(names))
	for _, name := range names {
		set[name] = true
	}
	return set
}

// fulfil marks requests as fulfilled. It keeps the reviewer and the time of the
// review; a request without a review gets the current time.
func (l *ledger) fulfil(names map[string]bool, now time.Time) (changed []Request, archive bool) {
	mark := func(list []*entry) bool {
		before := len(changed)
		for _, e := range list {
			if !e.Status.mayBecome(Fulfilled) || !names[e.Name] {
				continue
			}
			if e.ReviewedAt.IsZero() {
				e.ReviewedAt = now
			}
			e.Status, e.raw = Fulfilled, nil
			changed = append(changed, e.copy())
		}
		return len(changed) > before
	}
	archive = mark(l.archived)
	mark(l.entries)
	slices.SortFunc(changed, func(a, b Request) int { return older(&a, &b) })
	return changed, archive
}

// older orders requests: those with ids of another system first, then ours.
func older(a, b *Request) int {
	m, ours := numberOf(a.ID)
	n, theirs := numberOf(b.ID)
	switch {
	case ours && theirs:
		return cmp.Or(cmp.Compare(m, n), cmp.Compare(a.ID, b.ID))
	case ours != theirs:
		if ours {
			return 1
		}
		return -1
	}
	return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID))
}

// page expects a filter that was checked.
func (l *ledger) page(f Filter) (Page, error) {
	var list []*entry
	for _, part := range [][]*entry{l.archived, l.entries} {
		for _, e := range part {
			if (f.Status == "" || e.Status == f.Status) && (f.Principal == "" || e.Principal == f.Principal) {
				list = append(list, e)
			}
		}
	}
	slices.SortFunc(list, func(a, b *entry) int { return older(&a.Request, &b.Request) })
	if f.Cursor != "" {
		last := &Request{ID: f.Cursor}
		if e := l.find(f.Cursor); e != nil {
			last = &e.Request
		} else if _, ok := numberOf(f.Cursor); !ok {
			return Page{}, lang.NewError(ErrInvalid, lang.RequestBadCursor.With(shortened(f.Cursor)), lang.RequestCursorHint.With())
		}
		list = slices.DeleteFunc(list, func(e *entry) bool { return older(&e.Request, last) <= 0 })
	}
	page := Page{Requests: []Request{}}
	for _, e := range list[:min(f.Limit, len(list))] {
		page.Requests = append(page.Requests, e.copy())
	}
	if len(list) > f.Limit {
		page.NextCursor = list[f.Limit-1].ID
	}
	return page, nil
}

// retire takes out the requests that were decided longest ago, all but so many.
func (l *ledger) retire(keep int) (retired []*entry) {
	var closed []*entry
	for _, e := range l.entries {
		if e.Status != Queued {
			closed = append(closed, e)
		}
	}
	if len(closed) <= keep {
		return nil
	}
	slices.SortStableFunc(closed, func(a, b *entry) int {
		return cmp.Or(a.ReviewedAt.Compare(b.ReviewedAt), older(&a.Request, &b.Request))
	})
	retired = closed[:len(closed)-keep]
	gone := make(map[*entry]bool, len(retired))
	for _, e := range retired {
		gone[e] = true
	}
	l.entries = slices.DeleteFunc(l.entries, func(e *entry) bool { return gone[e] })
	return retired
}
