package state

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/gongu-ai/gongu/internal/lang"
)

// applicationID marks the files of gongu's stores in their header: "gong".
const applicationID = 0x676f6e67

// maxReaders is how many transactions can read at the same time.
const maxReaders = 4

// sqliteEngine is a store in one file. One connection writes; others read, each
// from the state at its first statement.
type sqliteEngine struct {
	path string
	busy time.Duration
	db   *sql.DB // for the writing connection
	read *sql.DB
	w    *writer

	places chan struct{} // one for each reader
	mu     sync.Mutex
	idle   []*sqliteConn

	poller  *sqliteConn // of the one goroutine that calls changed
	version int64
}

// sqliteConn is a connection with its prepared statements.
type sqliteConn struct {
	conn  *sql.Conn
	stmts map[string]*sql.Stmt
}

func openSQLite(ctx context.Context, path string, o *Options) (engine, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("state: %w", err)
	}
	if err := prepareFile(path, o); err != nil {
		return nil, err
	}
	e := &sqliteEngine{path: path, busy: o.Busy, places: make(chan struct{}, maxReaders)}
	if e.db, err = sql.Open("sqlite", sqliteURL(path, false)); err != nil {
		return nil, e.explain(err)
	}
	if e.read, err = sql.Open("sqlite", sqliteURL(path, true)); err != nil {
		return nil, e.explain(errors.Join(err, e.db.Close()))
	}
	conn, err := e.connect(ctx)
	if err != nil {
		return nil, errors.Join(e.explain(err), e.db.Close(), e.read.Close())
	}
	e.w = startWriter(e, &sqliteConn{conn: conn, stmts: map[string]*sql.Stmt{}})
	return e, nil
}

// sqliteURL returns the name under which the driver opens a file. Every path is
// escaped: a question mark would begin the parameters.
func sqliteURL(path string, read bool) string {
	q := url.Values{"_defensive": {"1"}, "_dqs": {"0"}, "_error_rc": {"1"}, "_synchronous": {"FULL"}}
	q["_pragma"] = []string{"fullfsync(1)", "checkpoint_fullfsync(1)", "trusted_schema(0)", "journal_size_limit(67108864)"}
	q.Set("_busy_timeout", "5000")
	if read {
		q.Set("_query_only", "1")
	}
	slashed := filepath.ToSlash(path)
	if !strings.HasPrefix(slashed, "/") {
		slashed = "/" + slashed
	}
	return "file:" + (&url.URL{Path: slashed}).EscapedPath() + "?" + q.Encode()
}

// connect opens the writing connection.
func (e *sqliteEngine) connect(ctx context.Context) (conn *sql.Conn, err error) {
	err = e.retryBusy(ctx, func() error {
		if conn, err = e.db.Conn(ctx); err != nil {
			return err
		}
		if err := e.prepareConn(ctx, conn); err != nil {
			return errors.Join(err, conn.Close())
		}
		return nil
	})
	return conn, err
}

// prepareConn switches the file to the write-ahead log, in which readers and the
// writer do not wait for each other. The writer waits for other processes itself,
// so that it can be told to stop.
func (e *sqliteEngine) prepareConn(ctx context.Context, conn *sql.Conn) error {
	tables, err := queryInt(ctx, conn, "SELECT count(*) FROM sqlite_schema")
	if err != nil {
		return err
	}
	id, err := queryInt(ctx, conn, "PRAGMA application_id")
	if err != nil {
		return err
	}
	if id != applicationID && (tables > 0 || id != 0) {
		return lang.NewError(ErrInvalid, lang.StoreOther.With(e.path), lang.StoreOtherHint.With())
	}
	if err := conn.Raw(e.refuseReadOnly); err != nil {
		return err
	}
	_, err = conn.ExecContext(ctx, "PRAGMA journal_mode = WAL; PRAGMA busy_timeout = 0")
	return err
}

// refuseReadOnly returns an error if SQLite opened the file only for reading,
// which it does silently.
func (e *sqliteEngine) refuseReadOnly(driverConn any) error {
	c, ok := driverConn.(interface {
		IsReadOnly(schema string) (bool, error)
	})
	if !ok {
		return nil
	}
	readOnly, err := c.IsReadOnly("main")
	if err == nil && readOnly {
		return unavailable(lang.StoreReadOnly.With(e.path), lang.StoreReadHint.With(e.path), fs.ErrPermission)
	}
	return err
}

// retryBusy repeats f while another process has the lock, up to the limit.
func (e *sqliteEngine) retryBusy(ctx context.Context, f func() error) error {
	start := time.Now()
	for wait := time.Millisecond; ; {
		err := f()
		if !isBusy(err) || time.Since(start) >= e.busy {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(wait):
		}
		if time.Since(start) > time.Second {
			wait = 5 * time.Millisecond
		}
	}
}

func (e *sqliteEngine) name() string  { return engineSQLite }
func (e *sqliteEngine) place() string { return e.path }

const sqliteHasVersions = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'store_versions'"

func (e *sqliteEngine) migrate(ctx context.Context, all []migration) error {
	return e.w.exclusively(ctx, func(conn *sql.Conn) error {
		var v versions
		err := e.retryBusy(ctx, func() (err error) {
			v, err = readVersions(ctx, conn, sqliteHasVersions)
			return err
		})
		if err != nil {
			return e.explain(err)
		}
		if missing, err := v.pending(all, e.path); err != nil || (v.made && len(missing) == 0) {
			return err
		}
		if err := e.retryBusy(ctx, func() error { _, err := conn.ExecContext(ctx, "BEGIN IMMEDIATE"); return err }); err != nil {
			return e.explain(err)
		}
		if err := e.migrateLocked(ctx, conn, all); err != nil {
			_, rolled := conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
			return errors.Join(e.explain(err), ignoreNoTransaction(rolled))
		}
		_, err = conn.ExecContext(context.WithoutCancel(ctx), "COMMIT")
		return e.explain(err)
	})
}

func (e *sqliteEngine) migrateLocked(ctx context.Context, conn *sql.Conn, all []migration) error {
	v, err := readVersions(ctx, conn, sqliteHasVersions) // another process may have been faster
	if err != nil {
		return err
	}
	missing, err := v.pending(all, e.path)
	if err != nil {
		return err
	}
	if _, err := conn.ExecContext(ctx, fmt.Sprintf("PRAGMA application_id = %d", applicationID)); err != nil {
		return err
	}
	return migrate(ctx, conn, v, missing, time.Now().UnixMicro())
}

func (e *sqliteEngine) view(ctx context.Context, s *Store, f unit) error {
	select {
	case e.places <- struct{}{}:
		defer func() { <-e.places }()
	case <-s.background.Done():
		return ErrClosed
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	c, err := e.reader(ctx)
	if err != nil {
		return e.explain(err)
	}
	defer e.putBack(c)
	// Nothing is locked before the first statement, which decides what is read.
	if err := c.do(ctx, "BEGIN"); err != nil {
		return e.explain(err)
	}
	err = s.call(ctx, &Tx{store: s, run: sqliteRunner{c}}, f)
	if ended := c.do(context.WithoutCancel(ctx), "ROLLBACK"); err == nil {
		err = ignoreNoTransaction(ended)
	}
	return e.explain(err)
}

func (e *sqliteEngine) reader(ctx context.Context) (*sqliteConn, error) {
	e.mu.Lock()
	if n := len(e.idle); n > 0 {
		c := e.idle[n-1]
		e.idle = e.idle[:n-1]
		e.mu.Unlock()
		return c, nil
	}
	e.mu.Unlock()
	conn, err := e.read.Conn(ctx)
	if err != nil {
		return nil, err
	}
	return &sqliteConn{conn: conn, stmts: map[string]*sql.Stmt{}}, nil
}

func (e *sqliteEngine) putBack(c *sqliteConn) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.idle = append(e.idle, c)
}

func (e *sqliteEngine) close() error {
	err := e.w.close()
	for range cap(e.places) {
		e.places <- struct{}{} // the readers that are at work finish first
	}
	if e.poller != nil {
		e.idle = append(e.idle, e.poller)
	}
	for _, c := range e.idle {
		err = errors.Join(err, c.close())
	}
	return errors.Join(err, e.read.Close(), e.db.Close())
}

// changed compares the number that SQLite changes with every commit of another
// connection.
func (e *sqliteEngine) changed(ctx context.Context) (bool, error) {
	if e.poller == nil {
		c, err := e.reader(ctx)
		if err != nil {
			return false, err
		}
		e.poller = c
	}
	version, err := queryInt(ctx, e.poller.conn, "PRAGMA data_version")
	changed := err == nil && version != e.version
	e.version = version
	return changed, err
}

// announce and listen have nothing to do: data_version tells other processes.
func (e *sqliteEngine) announce(*Store, []string)                         {}
func (e *sqliteEngine) listen(context.Context, *Store, func(feed string)) {}

// prepare returns a prepared statement. It is kept until the connection closes.
func (c *sqliteConn) prepare(ctx context.Context, text string) (*sql.Stmt, error) {
	if st := c.stmts[text]; st != nil {
		return st, nil
	}
	st, err := c.conn.PrepareContext(ctx, text)
	if err != nil {
		return nil, err
	}
	c.stmts[text] = st
	return st, nil
}

// do runs a statement without arguments.
func (c *sqliteConn) do(ctx context.Context, text string) error {
	st, err := c.prepare(ctx, text)
	if err != nil {
		return err
	}
	_, err = st.ExecContext(ctx)
	return err
}

func (c *sqliteConn) close() error {
	var err error
	for _, st := range c.stmts {
		err = errors.Join(err, st.Close())
	}
	return errors.Join(err, c.conn.Close())
}

// sqliteRunner runs the statements of a transaction that reads.
type sqliteRunner struct{ c *sqliteConn }

func (r sqliteRunner) exec(ctx context.Context, st *statement, args []any) (sql.Result, error) {
	prepared, err := r.c.prepare(ctx, st.text)
	if err != nil {
		return nil, err
	}
	return prepared.ExecContext(ctx, args...)
}

func (r sqliteRunner) query(ctx context.Context, st *statement, args []any) (*sql.Rows, error) {
	prepared, err := r.c.prepare(ctx, st.text)
	if err != nil {
		return nil, err
	}
	return prepared.QueryContext(ctx, args...)
}

// now reads this machine's clock, which is the clock of a store in a local file.
func (r sqliteRunner) now(context.Context) (int64, error) { return time.Now().UnixMicro(), nil }
