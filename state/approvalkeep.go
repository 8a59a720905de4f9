package state

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// approvalKind is what the store does with approvals besides reading and changing
// them.
func approvalKind() recordKind {
	return recordKind{
		name: "approvals",
		retain: &retainer{
			expire: removeApprovals,
			size: func(ctx context.Context, tx *Tx) (size int64, err error) {
				err = tx.Row(ctx, "ApprovalsSize", tx.Space()).Scan(&size)
				return size, err
			},
			shrink: func(ctx context.Context, tx *Tx, n int) (int64, error) {
				now, err := tx.Now(ctx)
				if err != nil {
					return 0, err
				}
				return tx.Exec(ctx, "ApprovalsRemove", tx.Space(), now+1, n)
			},
		},
		restored: restoreApprovals,
		check:    checkApprovals,
	}
}

// removeApprovals removes ended approvals, and what is not needed any more beside
// them.
func removeApprovals(ctx context.Context, tx *Tx, before int64, n int) (int64, error) {
	now, err := tx.Now(ctx)
	if err != nil {
		return 0, err
	}
	if _, err := tx.Exec(ctx, "AnswersExpire", tx.Space(), now); err != nil {
		return 0, err
	}
	if _, err := tx.Exec(ctx, "PresenceForget", tx.Space(), now-presenceKept.Microseconds()); err != nil {
		return 0, err
	}
	return tx.Exec(ctx, "ApprovalsRemove", tx.Space(), before, n)
}

// restoreApprovals cancels what was open when a backup was made: a person may have
// decided since, and the call may have run.
func restoreApprovals(ctx context.Context, tx *Tx, now int64) error {
	_, err := tx.Exec(ctx, "ApprovalsRestored", now)
	return err
}

// checkApprovals lists the approvals whose state and columns do not agree.
func checkApprovals(ctx context.Context, tx *Tx) ([]Problem, error) {
	rows, err := tx.Query(ctx, "ApprovalsWrong")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var problems []Problem
	for rows.Next() {
		var space, id, state string
		if err := rows.Scan(&space, &id, &state); err != nil {
			return nil, err
		}
		problems = append(problems, Problem{Kind: "approvals", Text: fmt.Sprintf("the approval %s of space %s is %s, and its record does not fit", id, space, state)})
	}
	return problems, rows.Err()
}

// endStep is how many approvals one transaction ends.
const endStep = 100

// EndApprovals ends the approvals whose time is over, and those whose waiting host
// has ended.
func (s *Store) EndApprovals(ctx context.Context) error {
	for {
		var over []string
		err := s.View(ctx, func(ctx context.Context, tx *Tx) error {
			now, err := tx.Now(ctx)
			if err == nil {
				over, err = tx.texts(ctx, "ApprovalsOver", tx.Space(), now, 1)
			}
			return err
		})
		if err != nil || len(over) == 0 {
			return err
		}
		err = s.asAnyone(ctx, func(ctx context.Context, tx *Tx, w Writer) error {
			w, err := tx.lockApprovals(ctx, w)
			if err != nil {
				return err
			}
			ended, err := tx.endOver(ctx, w, endStep)
			if err == nil && ended == 0 {
				err = errNothing
			}
			return err
		})
		if err != nil && !errors.Is(err, errNothing) {
			return err
		}
	}
}

// endOver ends at most n approvals that are over.
func (t *Tx) endOver(ctx context.Context, w Writer, n int) (ended int, err error) {
	ids, err := t.texts(ctx, "ApprovalsOver", t.Space(), w.Now.UnixMicro(), n)
	if err != nil {
		return 0, err
	}
	for _, id := range ids {
		a, err := t.approval(ctx, id)
		if err != nil {
			return ended, err
		}
		before := *a
		if err := t.refresh(ctx, w, a); err != nil {
			return ended, err
		}
		if a.same(&before) {
			continue
		}
		if err := t.saveApproval(ctx, w, a, &before); err != nil {
			return ended, err
		}
		ended++
	}
	return ended, nil
}

// texts returns the first column of all rows of a statement.
func (t *Tx) texts(ctx context.Context, name string, args ...any) (all []string, err error) {
	rows, err := t.Query(ctx, name, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			return nil, err
		}
		all = append(all, text)
	}
	return all, rows.Err()
}

// sweepApprovals begins to end approvals in the background, on a host that opens or
// watches them: what is over shows in the events without a reader.
func (s *Store) sweepApprovals() {
	s.sweeping.Do(func() {
		s.start(func() {
			timer := time.NewTicker(s.options.Renew)
			defer timer.Stop()
			for {
				select {
				case <-s.background.Done():
					return
				case <-timer.C:
				}
				if err := s.EndApprovals(s.background); err != nil && s.background.Err() == nil {
					s.options.Logger.WarnContext(s.background, "approvals that are over were not ended", "error", err)
				}
			}
		})
	})
}
