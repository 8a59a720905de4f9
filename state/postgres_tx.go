package state

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

// errNoAnswer means that the server did not answer for a long time. It is not
// tried again: the next try would wait as long.
var errNoAnswer = errors.New("no answer")

// postgresTx is a transaction of which each step is bounded in time, so that a
// server that was stopped, or a network that swallows packets, keeps no caller
// waiting. The timeouts of the server's session do not help then.
type postgresTx struct {
	*sql.Tx
	// ctx ends with the context of the caller, until detach, or when a step takes
	// too long.
	ctx     context.Context
	caller  context.Context
	cancel  context.CancelCauseFunc
	detach  func() bool
	timer   *time.Timer
	slowest time.Duration
}

func (e *postgresEngine) begin(ctx context.Context, o *sql.TxOptions) (*postgresTx, error) {
	t := &postgresTx{caller: ctx, slowest: e.slowest}
	t.ctx, t.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
	t.detach = context.AfterFunc(ctx, func() { t.cancel(context.Cause(ctx)) })
	t.timer = time.AfterFunc(t.slowest, func() { t.cancel(errNoAnswer) })
	tx, err := e.db.BeginTx(t.ctx, o)
	if err != nil {
		t.free()
		return nil, t.reason(err)
	}
	t.Tx = tx
	return t, nil
}

// step begins the time of the next step.
func (t *postgresTx) step() { t.timer.Reset(t.slowest) }

// next begins the time of a statement, unless the caller has left: the end of its
// context reaches that of the transaction a moment later.
func (t *postgresTx) next() error {
	t.step()
	return context.Cause(t.caller)
}

// end rolls back what was not committed.
func (t *postgresTx) end() {
	t.step()
	_ = t.Rollback() // the server does it itself when the connection is lost
	t.free()
}

func (t *postgresTx) free() {
	t.timer.Stop()
	t.detach()
	t.cancel(nil)
}

// reason adds to an error why the context of the transaction ended, which the
// driver does not tell.
func (t *postgresTx) reason(err error) error {
	cause := context.Cause(t.ctx)
	switch {
	case err == nil || cause == nil:
		return err
	case errors.Is(cause, errNoAnswer):
		return errors.Join(cause, err)
	case t.caller.Err() != nil && !errors.Is(err, context.Cause(t.caller)):
		return errors.Join(context.Cause(t.caller), err)
	}
	return err
}

// postgresRunner runs statements in a transaction. The driver keeps them prepared.
type postgresRunner struct{ tx *postgresTx }

func (r *postgresRunner) exec(ctx context.Context, st *statement, args []any) (sql.Result, error) {
	if err := r.tx.next(); err != nil {
		return nil, err
	}
	return r.tx.ExecContext(ctx, st.text, args...)
}

func (r *postgresRunner) query(ctx context.Context, st *statement, args []any) (*sql.Rows, error) {
	if err := r.tx.next(); err != nil {
		return nil, err
	}
	return r.tx.QueryContext(ctx, st.text, args...)
}

func (r *postgresRunner) now(ctx context.Context) (int64, error) {
	if err := r.tx.next(); err != nil {
		return 0, err
	}
	return postgresNow(ctx, r.tx)
}
