package state

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"
)

// AuditFilter selects audit rows. Empty fields select all.
type AuditFilter struct {
	Kind, Tool, Principal, Agent, Instance, Status, Trace, Call string
	// Since and Until bound the time of recording, in microseconds of the
	// store's clock, both inclusive.
	Since, Until int64
	// Before is the Next of the page before; 0 begins with the newest row.
	Before int64
	// Limit is the size of the page (default 50, at most 1,000).
	Limit int
	// Raw selects every row as it is stored. Without it, the begin row of a call
	// that has an end row is left out, and the others are running or unknown.
	Raw bool
}

// AuditPage is a page of rows, the newest first.
type AuditPage struct {
	Rows []*AuditRow
	// Next is Before of the next page; 0 means that there is none. A page can
	// have fewer rows than asked for, or none, and a Next: the search for rows
	// stopped to answer in time.
	Next int64
}

const (
	defaultAuditPage = 50
	maxAuditPage     = 1000
	// auditWindow is how many numbers one statement searches at first; a
	// window without rows doubles the next.
	auditWindow    = 8192
	maxAuditWindow = 1 << 20
	// auditBucket is how many numbers a bucket of the indexes by ids has.
	auditBucket = 65536
	// auditSearch is how long a page is searched for.
	auditSearch = 40 * time.Millisecond
)

// AuditPage returns the newest rows that a filter selects.
func (s *Store) AuditPage(ctx context.Context, f AuditFilter) (page AuditPage, err error) {
	if f.Limit <= 0 {
		f.Limit = defaultAuditPage
	}
	f.Limit = min(f.Limit, maxAuditPage)
	err = s.View(ctx, func(ctx context.Context, tx *Tx) error {
		page = AuditPage{}
		lowest, highest, err := tx.auditRange(ctx, f)
		if err != nil || lowest > highest {
			return err
		}
		page.Next = highest + 1
		begun := time.Now()
		for window := int64(auditWindow); page.Next > lowest && len(page.Rows) < f.Limit; {
			if time.Since(begun) > auditSearch {
				return nil
			}
			floor := max(lowest, page.Next-window)
			if f.Call != "" || f.Trace != "" {
				floor = max(lowest, (page.Next-1)/auditBucket*auditBucket)
			}
			found, err := tx.auditWindow(ctx, f, page.Next, floor, f.Limit-len(page.Rows))
			if err != nil {
				return err
			}
			page.Rows = append(page.Rows, found...)
			if page.Next = floor; len(page.Rows) >= f.Limit {
				page.Next = page.Rows[len(page.Rows)-1].Seq
			} else if len(found) == 0 {
				window = min(2*window, maxAuditWindow)
			}
		}
		if page.Next <= lowest {
			page.Next = 0
		}
		if f.Raw {
			return nil
		}
		return tx.showOutcomes(ctx, page.Rows)
	})
	if err != nil {
		return AuditPage{}, fmt.Errorf("read the audit: %w", err)
	}
	if want := f.Status; want == AuditRunning || want == AuditUnknown {
		page.Rows = slices.DeleteFunc(page.Rows, func(r *AuditRow) bool { return r.Status != want })
	}
	return page, nil
}

// auditRange returns the lowest and the highest number that a filter can select.
func (t *Tx) auditRange(ctx context.Context, f AuditFilter) (lowest, highest int64, err error) {
	if err := t.Row(ctx, "AuditEnds", t.Space()).Scan(&lowest, &highest); err != nil {
		return 0, 0, err
	}
	if highest == 0 {
		return 1, 0, nil
	}
	if f.Before > 0 {
		highest = min(highest, f.Before-1)
	}
	if f.Since > 0 {
		at, err := t.auditSeqAt(ctx, "AuditSince", f.Since, math.MaxInt64)
		if err != nil {
			return 0, 0, err
		}
		lowest = max(lowest, at)
	}
	if f.Until > 0 {
		at, err := t.auditSeqAt(ctx, "AuditUntil", f.Until, 0)
		if err != nil {
			return 0, 0, err
		}
		highest = min(highest, at)
	}
	return lowest, highest, nil
}

func (t *Tx) auditSeqAt(ctx context.Context, name string, at, none int64) (seq int64, err error) {
	if err = t.Row(ctx, name, t.Space(), at).Scan(&seq); isNoRows(err) {
		return none, nil
	}
	return seq, err
}

// auditWindow returns at most limit rows with numbers from floor to before,
// exclusive.
func (t *Tx) auditWindow(ctx context.Context, f AuditFilter, before, floor int64, limit int) ([]*AuditRow, error) {
	status := f.Status
	if status == AuditRunning || status == AuditUnknown {
		status = AuditStarted
	}
	name := "AuditPage"
	switch {
	case f.Call != "":
		name = "AuditPageByCall"
	case f.Trace != "":
		name = "AuditPageByTrace"
	case status != "" && status != "ok":
		name = "AuditPageByStatus"
	case f.Tool != "":
		name = "AuditPageByTool"
	case f.Principal != "":
		name = "AuditPageByPrincipal"
	}
	raw := 0
	if f.Raw {
		raw = 1
	}
	args := []any{t.Space(), before, floor, f.Kind, f.Tool, f.Principal, f.Agent, f.Instance, status, f.Trace, f.Call, raw, limit}
	if f.Call != "" || f.Trace != "" {
		args = append(args, floor/auditBucket)
	}
	return t.auditQuery(ctx, name, args...)
}

// showOutcomes gives begin rows without an end row the status that a reader
// expects.
func (t *Tx) showOutcomes(ctx context.Context, rows []*AuditRow) error {
	alive := map[string]bool{}
	for _, r := range rows {
		if r.Phase != PhaseBegin {
			continue
		}
		if _, known := alive[r.Host]; !known {
			lives, err := t.HostAlive(ctx, r.Host)
			if err != nil {
				return err
			}
			alive[r.Host] = lives
		}
		if r.Status = AuditUnknown; alive[r.Host] {
			r.Status = AuditRunning
		}
	}
	return nil
}

// AuditAfter returns at most limit rows with higher numbers than after, the
// oldest first, as they are stored: what follows is read with the Seq of the
// last one. It is for exports and followers.
func (s *Store) AuditAfter(ctx context.Context, after int64, limit int) (rows []*AuditRow, err error) {
	err = s.View(ctx, func(ctx context.Context, tx *Tx) (err error) {
		rows, err = tx.auditQuery(ctx, "AuditAfter", tx.Space(), after, int64(math.MaxInt64), min(max(limit, 1), maxAuditPage))
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read the audit: %w", err)
	}
	return rows, nil
}

// AuditGet returns the row with a number and, for a begin or an end row, the
// other one of its call after it. The error wraps [ErrNotFound] if there is none.
func (s *Store) AuditGet(ctx context.Context, seq int64) (rows []*AuditRow, err error) {
	err = s.View(ctx, func(ctx context.Context, tx *Tx) (err error) {
		if rows, err = tx.auditQuery(ctx, "AuditGet", tx.Space(), seq); err != nil || len(rows) == 0 {
			return err
		}
		var other []*AuditRow
		switch rows[0].Phase {
		case PhaseBegin:
			other, err = tx.auditQuery(ctx, "AuditEndOf", tx.Space(), seq)
		case PhaseEnd:
			other, err = tx.auditQuery(ctx, "AuditGet", tx.Space(), rows[0].Begins)
		}
		if err != nil {
			return err
		}
		if rows = append(rows, other...); len(rows) > 1 {
			return nil
		}
		return tx.showOutcomes(ctx, rows)
	})
	if err != nil {
		return nil, fmt.Errorf("read the audit: %w", err)
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("audit row %d: %w", seq, ErrNotFound)
	}
	return rows, nil
}

// Matches reports whether the filter selects a row, apart from Before and Limit.
func (f *AuditFilter) Matches(r *AuditRow) bool {
	for _, c := range [...][2]string{
		{f.Kind, r.Kind}, {f.Tool, r.Tool}, {f.Principal, r.Principal}, {f.Agent, r.Agent}, {f.Instance, r.Instance},
		{f.Status, r.Status}, {f.Trace, r.Trace}, {f.Call, r.CallID},
	} {
		if c[0] != "" && c[0] != c[1] {
			return false
		}
	}
	return (f.Since == 0 || r.Time >= f.Since) && (f.Until == 0 || r.Time <= f.Until)
}
