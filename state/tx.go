package state

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Tx is a transaction. It belongs to the function that got it and ends with it.
type Tx struct {
	store  *Store
	run    runner
	write  bool
	ended  bool
	failed error // the first error of a statement: the transaction cannot be committed
	open   *Rows // rows that were not closed yet
	feeds  []string
}

// runner executes statements on the connection of a transaction.
type runner interface {
	exec(ctx context.Context, st *statement, args []any) (sql.Result, error)
	query(ctx context.Context, st *statement, args []any) (*sql.Rows, error)
	now(ctx context.Context) (int64, error)
}

// Store returns the store of the transaction.
func (t *Tx) Store() *Store { return t.store }

// Space returns the store's space, the first argument of nearly all statements.
func (t *Tx) Space() string { return t.store.options.Space }

// Now returns the time of the store in microseconds since 1970. It moves on
// during a transaction.
func (t *Tx) Now(ctx context.Context) (int64, error) {
	if t.ended {
		return 0, errEnded
	}
	now, err := t.run.now(ctx)
	return now, t.fail("StoreTime", err)
}

// Exec runs a named statement and returns how many rows it changed. Arguments
// are nil, string, []byte, int, int64 and bool (stored as 0 or 1).
func (t *Tx) Exec(ctx context.Context, name string, args ...any) (changed int64, err error) {
	st, err := t.begin(ctx, name, args)
	if err != nil {
		return 0, err
	}
	result, err := t.run.exec(ctx, st, args)
	if err != nil {
		return 0, t.fail(name, err)
	}
	changed, err = result.RowsAffected()
	return changed, t.fail(name, err)
}

// One runs a conditional change of one row. It reports whether the row was hit:
// false means that the condition did not hold.
func (t *Tx) One(ctx context.Context, name string, args ...any) (hit bool, err error) {
	changed, err := t.Exec(ctx, name, args...)
	if err == nil && changed > 1 {
		err = t.fail(name, fmt.Errorf("changed %d rows instead of one", changed))
	}
	return err == nil && changed == 1, err
}

// Query runs a named statement that gives rows. They must be closed before the
// next statement.
func (t *Tx) Query(ctx context.Context, name string, args ...any) (*Rows, error) {
	st, err := t.begin(ctx, name, args)
	if err != nil {
		return nil, err
	}
	rows, err := t.run.query(ctx, st, args)
	if err != nil {
		return nil, t.fail(name, err)
	}
	t.open = &Rows{tx: t, name: name, rows: rows}
	return t.open, nil
}

// Row runs a named statement that gives at most one row.
func (t *Tx) Row(ctx context.Context, name string, args ...any) *Row {
	rows, err := t.Query(ctx, name, args...)
	return &Row{rows: rows, err: err}
}

var errEnded = errors.New("state: the transaction has ended")

// begin finds a statement and checks what the two engines treat differently, so
// that what works on one works on the other.
func (t *Tx) begin(ctx context.Context, name string, args []any) (*statement, error) {
	st := t.store.statements[name]
	switch {
	case t.ended:
		return nil, errEnded
	case st == nil:
		return nil, t.fail(name, errors.New("there is no such statement"))
	case t.open != nil:
		return nil, t.fail(name, fmt.Errorf("the rows of %s were not closed", t.open.name))
	case st.params != len(args):
		return nil, t.fail(name, fmt.Errorf("%d arguments for %d placeholders", len(args), st.params))
	case ctx.Err() != nil:
		return nil, t.fail(name, context.Cause(ctx))
	}
	for i, arg := range args {
		value, err := argument(arg)
		if err != nil {
			return nil, t.fail(name, fmt.Errorf("$%d: %w", i+1, err))
		}
		args[i] = value
	}
	return st, nil
}

func argument(arg any) (any, error) {
	switch v := arg.(type) {
	case nil, int64:
		return v, nil
	case int:
		return int64(v), nil
	case bool:
		if v {
			return int64(1), nil
		}
		return int64(0), nil
	case string:
		if !utf8.ValidString(v) || strings.IndexByte(v, 0) >= 0 {
			return nil, fmt.Errorf("%w: text that is not UTF-8 or has a NUL; keep it as bytes", ErrInvalid)
		}
		return v, nil
	case json.RawMessage:
		return argument([]byte(v))
	case []byte:
		if v == nil {
			return nil, nil // NULL, on both engines
		}
		return v, nil
	}
	return nil, fmt.Errorf("%w: a value of type %T", ErrInvalid, arg)
}

// fail remembers the first error: PostgreSQL commits nothing after one, and
// neither does SQLite then.
func (t *Tx) fail(name string, err error) error {
	if err == nil {
		return nil
	}
	err = fmt.Errorf("statement %s: %w", name, err)
	if t.failed == nil {
		t.failed = err
	}
	return err
}

// touch remembers a feed whose watchers are told after the commit.
func (t *Tx) touch(feed string) {
	if !slices.Contains(t.feeds, feed) {
		t.feeds = append(t.feeds, feed)
	}
}

// finish ends the transaction for the function that had it.
func (t *Tx) finish(err error) error {
	t.ended = true
	if t.open != nil {
		if err == nil {
			err = fmt.Errorf("state: the rows of %s were not closed", t.open.name)
		}
		_ = t.open.rows.Close() // the transaction is rolled back
	}
	if err == nil {
		err = t.failed
	}
	return err
}

// Rows are the result of [Tx.Query].
type Rows struct {
	tx   *Tx
	name string
	rows *sql.Rows
}

// Next moves to the next row and reports whether there is one.
func (r *Rows) Next() bool { return r.rows.Next() }

// Scan copies the columns of the row.
func (r *Rows) Scan(dest ...any) error { return r.tx.fail(r.name, r.rows.Scan(dest...)) }

// Err returns the error that ended Next, if any.
func (r *Rows) Err() error { return r.tx.fail(r.name, r.rows.Err()) }

// Close ends the reading. It can be called more than once.
func (r *Rows) Close() error {
	if r.tx.open == r {
		r.tx.open = nil
	}
	return r.tx.fail(r.name, r.rows.Close())
}

// Row is the result of [Tx.Row].
type Row struct {
	rows *Rows
	err  error
}

// Scan copies the columns of the row. Without a row the error is [ErrNotFound].
func (r *Row) Scan(dest ...any) error {
	if r.err != nil {
		return r.err
	}
	found := r.rows.Next()
	var err error
	if found {
		err = r.rows.Scan(dest...)
	} else {
		err = r.rows.Err()
	}
	if closed := r.rows.Close(); err == nil {
		err = closed
	}
	if err == nil && !found {
		return fmt.Errorf("statement %s: %w", r.rows.name, ErrNotFound)
	}
	return err
}
