package state

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// ApprovalFilter selects approvals. Empty fields select all.
type ApprovalFilter struct {
	State, Principal, Agent string
	// After is the Next of the page before; empty begins with the newest.
	After string
	// Limit is the size of the page (default 50, at most 1,000).
	Limit int
}

// ApprovalPage is a page of approvals, the newest first.
type ApprovalPage struct {
	Approvals []*Approval
	// Next is After of the next page; empty means that there is none.
	Next string
}

const (
	defaultApprovalPage = 50
	maxApprovalPage     = 1000
	// maxPageBytes ends a page of large approvals early.
	maxPageBytes = 32 << 20
)

// Approvals returns the newest approvals that a filter selects. Those whose time is
// over are expired.
func (s *Store) Approvals(ctx context.Context, f ApprovalFilter) (page ApprovalPage, err error) {
	created, id, err := f.place()
	if err != nil {
		return ApprovalPage{}, err
	}
	if err := s.EndApprovals(ctx); err != nil {
		return ApprovalPage{}, err
	}
	limit := f.limit()
	args := []any{s.Space(), created, id, f.Principal, f.Agent, limit + 1}
	name := "ApprovalPage"
	if f.State != "" {
		name, args = "ApprovalPageOfState", append(args, f.State)
	}
	err = s.View(ctx, func(ctx context.Context, tx *Tx) error {
		page = ApprovalPage{}
		rows, err := tx.Query(ctx, name, args...)
		if err != nil {
			return err
		}
		defer rows.Close()
		size := 0
		for rows.Next() {
			a, err := tx.scanApproval(rows.Scan)
			if err != nil {
				return err
			}
			if n := len(page.Approvals); n == limit || n > 0 && size+a.size() > maxPageBytes {
				page.Next = page.Approvals[n-1].cursor()
				return nil
			}
			size += a.size()
			page.Approvals = append(page.Approvals, a)
		}
		return rows.Err()
	})
	if err != nil {
		return ApprovalPage{}, fmt.Errorf("list approvals: %w", err)
	}
	return page, nil
}

// CountApprovals counts the pending approvals. Those whose time is over are expired.
func (s *Store) CountApprovals(ctx context.Context) (n int, err error) {
	if err := s.EndApprovals(ctx); err != nil {
		return 0, err
	}
	err = s.View(ctx, func(ctx context.Context, tx *Tx) error {
		var each int
		return tx.Row(ctx, "ApprovalCount", s.Space(), "").Scan(&n, &each)
	})
	if err != nil {
		return 0, fmt.Errorf("count approvals: %w", err)
	}
	return n, nil
}

// limit returns how many approvals a page has.
func (f *ApprovalFilter) limit() int {
	if f.Limit <= 0 {
		return defaultApprovalPage
	}
	return min(f.Limit, maxApprovalPage)
}

// place returns where a page begins: before a time and an id.
func (f *ApprovalFilter) place() (created int64, id string, err error) {
	if f.After == "" {
		return math.MaxInt64, "", nil
	}
	text, id, ok := strings.Cut(f.After, ".")
	if created, err = strconv.ParseInt(text, 10, 64); err != nil || !ok {
		return 0, "", fmt.Errorf("%w: %q is not the end of a page of approvals", ErrInvalid, auditText(f.After))
	}
	return created, id, nil
}

// cursor names the place of an approval in a list.
func (a *Approval) cursor() string { return strconv.FormatInt(a.Created.UnixMicro(), 10) + "." + a.ID }

// size is about how many bytes an approval takes.
func (a *Approval) size() int {
	n := 0
	for i := range a.Calls {
		c := &a.Calls[i]
		n += len(c.Args) + len(c.Preview) + len(c.Parameters) + len(c.Message)
	}
	return n
}

// Select returns the approvals that the filter selects out of all of them, which
// are the newest first: for stores without statements.
func (f ApprovalFilter) Select(all []*Approval) (page ApprovalPage, err error) {
	created, id, err := f.place()
	if err != nil {
		return page, err
	}
	for _, a := range all {
		at := a.Created.UnixMicro()
		switch {
		case at > created || at == created && a.ID >= id,
			f.State != "" && a.State != f.State, f.Principal != "" && a.Principal != f.Principal, f.Agent != "" && a.Agent != f.Agent:
		case len(page.Approvals) == f.limit():
			page.Next = page.Approvals[len(page.Approvals)-1].cursor()
			return page, nil
		default:
			page.Approvals = append(page.Approvals, a)
		}
	}
	return page, nil
}
