package state

import (
	"context"
	"fmt"
	"strings"
)

// AuditEvent is the kind of a row about something that happened without a call or
// a decision: a tool was requested, a source was listed, a bundle was loaded again.
const AuditEvent = "event"

// AuditFeed is the feed that numbers audit rows, for [Store.Watch].
const AuditFeed = auditFeed

// Topic returns what a row is about, as the events of the HTTP API are named:
// "call", the part of its action before the dot such as "request" or "source", or
// "audit" for a row about the records themselves.
func (r *AuditRow) Topic() string {
	if r.Kind == AuditCall {
		return AuditCall
	}
	if topic, _, ok := strings.Cut(r.Action, "."); ok && topic != "" {
		return topic
	}
	return "audit"
}

// AuditLast returns the number of the last row, 0 if there is none.
func (s *Store) AuditLast(ctx context.Context) (last int64, err error) {
	err = s.View(ctx, func(ctx context.Context, tx *Tx) (err error) {
		last, err = tx.Last(ctx, AuditFeed)
		return err
	})
	return last, err
}

// AuditEnds returns the numbers of the first row that is still there and of the
// last one, 0 if there is none. The numbers in between have no gaps.
func (s *Store) AuditEnds(ctx context.Context) (first, last int64, err error) {
	err = s.View(ctx, func(ctx context.Context, tx *Tx) error {
		return tx.Row(ctx, "AuditEnds", tx.Space()).Scan(&first, &last)
	})
	return first, last, err
}

// AuditAfterOf is [Store.AuditAfter] for the rows of one principal.
func (s *Store) AuditAfterOf(ctx context.Context, principal string, after int64, limit int) (rows []*AuditRow, err error) {
	err = s.View(ctx, func(ctx context.Context, tx *Tx) (err error) {
		rows, err = tx.auditQuery(ctx, "AuditAfterOf", tx.Space(), principal, after, min(max(limit, 1), maxAuditPage))
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read the audit: %w", err)
	}
	return rows, nil
}
