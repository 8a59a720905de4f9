package state

import (
	"context"
	"database/sql"
	"errors"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// maxBatch is how many units share a commit.
	maxBatch = 64
	// A writer that is busy all the time pauses after writerTurn for writerPause,
	// so that other processes, which ask again and again, get the lock.
	writerTurn  = 100 * time.Millisecond
	writerPause = 3 * time.Millisecond
)

// writer owns the writing connection. Units that wait share a transaction: each
// runs in a savepoint, on the goroutine of its caller, and is acknowledged after
// the commit.
type writer struct {
	e     *sqliteEngine
	c     *sqliteConn
	queue chan *waiting
	stop  chan struct{}
	ended chan struct{}
	once  sync.Once
	// rested is when other processes last had a chance to get the lock.
	rested time.Time
}

// waiting is a unit whose caller waits.
type waiting struct {
	ctx     context.Context
	alone   bool          // runs without a transaction around it
	claimed atomic.Bool   // set by the writer before the first run, or by a caller who leaves
	began   bool          // the writer's own mark of the same
	exited  bool          // the caller's goroutine has ended
	turn    chan struct{} // run now
	ran     chan error    // the outcome of one run
	done    chan error    // the final outcome, after the commit
}

// errExited means that f ended its goroutine with runtime.Goexit.
var errExited = errors.New("state: the function of a transaction ended its goroutine")

func startWriter(e *sqliteEngine, c *sqliteConn) *writer {
	w := &writer{e: e, c: c, queue: make(chan *waiting), stop: make(chan struct{}), ended: make(chan struct{}), rested: time.Now()}
	go w.loop()
	return w
}

func (e *sqliteEngine) update(ctx context.Context, s *Store, f unit) error {
	var tx *Tx
	err := e.w.enqueue(ctx, false, func() error {
		tx = &Tx{store: s, run: writeRunner{sqliteRunner{e.w.c}}, write: true}
		return s.call(ctx, tx, f)
	})
	if err == nil {
		s.committed(tx)
	}
	return e.explain(err)
}

// exclusively runs f with the writing connection, outside of a transaction.
func (w *writer) exclusively(ctx context.Context, f func(conn *sql.Conn) error) error {
	return w.enqueue(ctx, true, func() error { return f(w.c.conn) })
}

// enqueue waits for the writer, calls f when it is its turn, again when the
// writer asks for it, and returns the final outcome. A caller whose context ends
// leaves as long as f has not begun.
func (w *writer) enqueue(ctx context.Context, alone bool, f func() error) error {
	u := &waiting{ctx: ctx, alone: alone, turn: make(chan struct{}), ran: make(chan error, 1), done: make(chan error, 1)}
	select {
	case w.queue <- u:
	case <-w.stop:
		return ErrClosed
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	left := ctx.Done()
	for {
		select {
		case <-u.turn:
			u.call(f)
		case err := <-u.done:
			return err
		case <-left:
			if u.claimed.CompareAndSwap(false, true) {
				return context.Cause(ctx)
			}
			left = nil
		}
	}
}

// call runs f and reports to the writer, also when f ends the goroutine.
func (u *waiting) call(f func() error) {
	err := errExited
	defer func() { u.ran <- err }()
	err = f()
}

func (w *writer) close() error {
	w.once.Do(func() { close(w.stop) })
	<-w.ended
	return w.c.close()
}

func (w *writer) loop() {
	defer close(w.ended)
	for {
		before := time.Now()
		var first *waiting
		select {
		case first = <-w.queue:
		case <-w.stop:
			return
		}
		w.rest(before)
		for batch := []*waiting{first}; batch != nil; {
			var next *waiting
			if !batch[0].alone {
				batch, next = w.collect(batch)
			}
			w.commit(batch)
			batch = nil
			if next != nil {
				batch = []*waiting{next}
			}
		}
	}
}

// rest lets other processes write when this one has not stopped for long.
func (w *writer) rest(idleSince time.Time) {
	switch now := time.Now(); {
	case now.Sub(idleSince) >= writerPause:
		w.rested = now
	case now.Sub(w.rested) >= writerTurn:
		time.Sleep(writerPause)
		w.rested = time.Now()
	}
}

// collect adds the units that wait. One that must run alone ends the batch.
func (w *writer) collect(batch []*waiting) (_ []*waiting, alone *waiting) {
	for len(batch) < maxBatch {
		select {
		case u := <-w.queue:
			if u.alone {
				return batch, u
			}
			batch = append(batch, u)
		default:
			return batch, nil
		}
	}
	return batch, nil
}

// begun claims a unit. It reports false if the caller has left.
func (u *waiting) begun() bool {
	if !u.began {
		u.began = u.claimed.CompareAndSwap(false, true)
	}
	return u.began && !u.exited
}

// runOnce lets the caller run the unit.
func (u *waiting) runOnce() error {
	u.turn <- struct{}{}
	err := <-u.ran
	u.exited = errors.Is(err, errExited)
	return err
}

// commit runs units in one transaction and acknowledges them. If the transaction
// as a whole fails, each unit runs again in a transaction for itself, so that one
// which fills the disk does not fail the others.
func (w *writer) commit(batch []*waiting) {
	if batch[0].alone {
		if batch[0].begun() {
			batch[0].done <- batch[0].runOnce()
		}
		return
	}
	if err := w.begin(); err != nil {
		finish(batch, err)
		return
	}
	outcomes, err := w.runAll(batch)
	if err == nil {
		err = w.c.do(context.Background(), "COMMIT")
	}
	if err == nil {
		for i, u := range batch {
			u.done <- outcomes[i]
		}
		return
	}
	_ = w.c.do(context.Background(), "ROLLBACK") // SQLite may have done it already
	if len(batch) == 1 {
		finish(batch, errors.Join(outcomes[0], err))
		return
	}
	for i := range batch {
		w.commit(batch[i : i+1])
	}
}

// begin takes the lock of the file.
func (w *writer) begin() error {
	return w.e.retryBusy(context.Background(), func() error { return w.c.do(context.Background(), "BEGIN IMMEDIATE") })
}

// finish gives all units the same outcome.
func finish(batch []*waiting, err error) {
	for _, u := range batch {
		u.done <- err
	}
}

// runAll runs each unit in a savepoint. Its error means that the transaction is
// lost; the outcomes are those of the units.
func (w *writer) runAll(batch []*waiting) (outcomes []error, err error) {
	outcomes = make([]error, len(batch))
	for i, u := range batch {
		if !u.begun() {
			outcomes[i] = errExited // no one waits for it
			continue
		}
		if err := w.c.do(context.Background(), "SAVEPOINT unit"); err != nil {
			return outcomes, err
		}
		if outcomes[i] = u.runOnce(); outcomes[i] != nil {
			if err := w.c.do(context.Background(), "ROLLBACK TO unit"); err != nil {
				return outcomes, err
			}
		}
		if err := w.c.do(context.Background(), "RELEASE unit"); err != nil {
			return outcomes, err
		}
	}
	return outcomes, nil
}

// writeRunner runs the statements of a unit to their end: SQLite undoes the whole
// transaction, with the units of other callers, when one is interrupted. The unit
// ends at its next statement when its context has ended.
type writeRunner struct{ sqliteRunner }

func (r writeRunner) exec(ctx context.Context, st *statement, args []any) (sql.Result, error) {
	return r.sqliteRunner.exec(context.WithoutCancel(ctx), st, args)
}

func (r writeRunner) query(ctx context.Context, st *statement, args []any) (*sql.Rows, error) {
	return r.sqliteRunner.query(context.WithoutCancel(ctx), st, args)
}

func stack() string { return string(debug.Stack()) }
