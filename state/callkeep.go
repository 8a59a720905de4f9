package state

import (
	"context"
	"fmt"
)

// callKind is what the store does with calls besides reading and changing them.
func callKind() recordKind {
	return recordKind{
		name: "calls",
		retain: &retainer{
			expire: func(ctx context.Context, tx *Tx, before int64, n int) (int64, error) {
				return tx.Exec(ctx, "CallsRemove", tx.Space(), before, n)
			},
			size: func(ctx context.Context, tx *Tx) (size int64, err error) {
				err = tx.Row(ctx, "CallsSize", tx.Space()).Scan(&size)
				return size, err
			},
			shrink: func(ctx context.Context, tx *Tx, n int) (int64, error) {
				now, err := tx.Now(ctx)
				if err != nil {
					return 0, err
				}
				return tx.Exec(ctx, "CallsRemove", tx.Space(), now+1, n)
			},
		},
		restored: restoreCalls,
		check:    checkCalls,
	}
}

// restoreCalls ends the calls that were under way when a backup was made. A
// suspended one may have run since, and so may a started one.
func restoreCalls(ctx context.Context, tx *Tx, now int64) error {
	expires := now + unknownLife.Microseconds()
	for from, to := range map[string]string{CallSuspended: CallCancelled, CallStarted: CallUnknown} {
		if _, err := tx.Exec(ctx, "CallsRestored", from, to, now, expires); err != nil {
			return err
		}
	}
	return nil
}

// checkCalls lists the calls whose state and columns do not agree.
func checkCalls(ctx context.Context, tx *Tx) ([]Problem, error) {
	rows, err := tx.Query(ctx, "CallsWrong")
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
		problems = append(problems, Problem{Kind: "calls", Text: fmt.Sprintf("the call %s of space %s is %s, and its record does not fit", id, space, state)})
	}
	return problems, rows.Err()
}
