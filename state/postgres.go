package state

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/gongu-ai/gongu/internal/lang"
)

const (
	// defaultSchema is where the tables lie unless the URL sets search_path.
	defaultSchema = "gongu"
	maxConns      = 16
	maxAttempts   = 12
)

// postgresEngine is a store in a PostgreSQL database. Transactions lock the rows
// that they change; what two of them could decide differently is a conditional
// update or lies behind the lock of a feed.
type postgresEngine struct {
	db     *sql.DB
	config *pgx.ConnConfig
	at     string // the address without a password
	// slowest bounds the wait for each step of a transaction, in case the server
	// does not answer.
	slowest time.Duration
	notices notices
}

func openPostgres(ctx context.Context, url string, o *Options) (engine, error) {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		// The error has parts of the URL, and with them maybe of the password.
		return nil, lang.NewError(ErrInvalid, lang.StoreBadURL.With(), lang.StoreURLHint.With())
	}
	e := &postgresEngine{config: config, at: fmt.Sprintf("%s:%d/%s", config.Host, config.Port, config.Database), slowest: o.Lease * 4 / 3}
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = 5 * time.Second
	}
	// A process that is stopped inside a transaction must let go of its locks before
	// its lease ends.
	settings := map[string]string{
		"application_name":                    "gongu",
		"search_path":                         defaultSchema,
		"idle_in_transaction_session_timeout": milliseconds(o.Lease / 3),
		"lock_timeout":                        milliseconds(o.Lease / 3),
		"statement_timeout":                   milliseconds(o.Lease * 2 / 3),
		"default_transaction_isolation":       "read committed",
		"bytea_output":                        "hex",
	}
	if !isSocket(config.Host) {
		settings["tcp_keepalives_idle"], settings["tcp_keepalives_interval"], settings["tcp_keepalives_count"] = "5", "2", "3"
	}
	given := config.RuntimeParams
	for name, value := range settings {
		if _, set := given[name]; !set || !isOpen(name) {
			given[name] = value
		}
	}
	e.db = stdlib.OpenDB(*config, stdlib.OptionAfterConnect(durable))
	e.db.SetMaxOpenConns(maxConns)
	e.db.SetMaxIdleConns(maxConns / 2)
	e.db.SetConnMaxIdleTime(5 * time.Minute)
	if err := e.db.PingContext(ctx); err != nil {
		return nil, errors.Join(e.explain(err), e.db.Close())
	}
	return e, nil
}

// isOpen reports whether the URL may choose a setting.
func isOpen(setting string) bool { return setting == "search_path" || setting == "application_name" }

func isSocket(host string) bool { return host != "" && host[0] == '/' }

func milliseconds(d time.Duration) string { return strconv.FormatInt(max(d.Milliseconds(), 1), 10) }

// durable makes commits durable on a server that is set not to: what Update
// acknowledges must survive a crash.
func durable(ctx context.Context, conn *pgx.Conn) error {
	_, err := conn.Exec(ctx, "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'")
	return err
}

func (e *postgresEngine) name() string  { return enginePostgres }
func (e *postgresEngine) place() string { return e.at }
func (e *postgresEngine) close() error  { return e.db.Close() }

const postgresHasVersions = "SELECT CAST(to_regclass('store_versions') IS NOT NULL AS INT)"

func (e *postgresEngine) migrate(ctx context.Context, all []migration) error {
	v, err := readVersions(ctx, e.db, postgresHasVersions)
	if err != nil {
		return e.explain(err)
	}
	if missing, err := v.pending(all, e.at); err != nil || (v.made && len(missing) == 0) {
		return err
	}
	tx, err := e.db.BeginTx(ctx, nil)
	if err != nil {
		return e.explain(err)
	}
	defer tx.Rollback()
	if err := e.migrateLocked(ctx, tx, all); err != nil {
		return e.explain(err)
	}
	return e.explain(tx.Commit())
}

func (e *postgresEngine) migrateLocked(ctx context.Context, tx *sql.Tx, all []migration) error {
	schema := e.config.RuntimeParams["search_path"]
	for _, query := range []string{
		"SET LOCAL lock_timeout = 0", "SET LOCAL statement_timeout = 0",
		"SELECT pg_advisory_xact_lock(hashtext('gongu store'), hashtext(current_setting('search_path')))",
	} {
		if _, err := tx.ExecContext(ctx, query); err != nil {
			return err
		}
	}
	if schema == defaultSchema {
		if there, err := queryInt(ctx, tx, "SELECT count(*) FROM pg_namespace WHERE nspname = $1", schema); err != nil {
			return err
		} else if there == 0 {
			if _, err := tx.ExecContext(ctx, "CREATE SCHEMA "+defaultSchema); err != nil {
				return err
			}
		}
	}
	v, err := readVersions(ctx, tx, postgresHasVersions)
	if err != nil {
		return err
	}
	missing, err := v.pending(all, e.at)
	if err != nil {
		return err
	}
	now, err := postgresNow(ctx, tx)
	if err != nil {
		return err
	}
	return migrate(ctx, tx, v, missing, now)
}

// postgresNow returns the server's time. now() would stand still in a transaction.
func postgresNow(ctx context.Context, h handle) (int64, error) {
	return queryInt(ctx, h, "SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000 AS BIGINT)")
}

func (e *postgresEngine) update(ctx context.Context, s *Store, f unit) error {
	var err error
	for attempt := range maxAttempts {
		if attempt > 0 {
			if waited := pause(ctx, s.background, attempt); waited != nil {
				return waited
			}
		}
		var again bool
		if again, err = e.try(ctx, s, f); !again {
			break
		}
	}
	return e.explain(err)
}

// try runs f in one transaction. again reports that nothing was committed and
// that another try can succeed.
func (e *postgresEngine) try(ctx context.Context, s *Store, f unit) (again bool, err error) {
	if s.background.Err() != nil {
		return false, ErrClosed
	}
	sqlTx, err := e.begin(ctx, nil)
	if err != nil {
		return isLost(err) && ctx.Err() == nil, err
	}
	defer sqlTx.end() // also when f ends its goroutine
	tx := &Tx{store: s, run: &postgresRunner{sqlTx}, write: true}
	if err := sqlTx.reason(s.call(sqlTx.ctx, tx, f)); err != nil {
		return (isConflict(err) || isLost(err)) && ctx.Err() == nil, err
	}
	// Once f has returned, the outcome is worth waiting for.
	sqlTx.detach()
	if err := e.commit(sqlTx); err != nil {
		return isConflict(err), err
	}
	s.committed(tx)
	return false, nil
}

// commit commits. An error that the server did not send means that the outcome
// is not known.
func (e *postgresEngine) commit(tx *postgresTx) error {
	tx.step()
	err := tx.reason(tx.Commit())
	var refused *pgconn.PgError
	if err == nil || errors.As(err, &refused) && !isShutdown(refused.Code) || errors.Is(err, pgx.ErrTxCommitRollback) {
		return err
	}
	return lang.NewError(ErrUnavailable, lang.StoreUnknown.With(e.at, err), lang.StoreUnknownHint.With()).Because(errors.Join(ErrUnknownOutcome, err))
}

func (e *postgresEngine) view(ctx context.Context, s *Store, f unit) error {
	if s.background.Err() != nil {
		return ErrClosed
	}
	var err error
	for attempt := range 4 {
		if attempt > 0 {
			if waited := pause(ctx, s.background, attempt); waited != nil {
				return waited
			}
		}
		if err = e.viewOnce(ctx, s, f); !isLost(err) || ctx.Err() != nil {
			break
		}
	}
	return e.explain(err)
}

func (e *postgresEngine) viewOnce(ctx context.Context, s *Store, f unit) error {
	sqlTx, err := e.begin(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true})
	if err != nil {
		return err
	}
	defer sqlTx.end()
	return sqlTx.reason(s.call(sqlTx.ctx, &Tx{store: s, run: &postgresRunner{sqlTx}}, f))
}

// pause waits before another try, longer each time.
func pause(ctx, closed context.Context, attempt int) error {
	limit := min(time.Millisecond<<attempt, 250*time.Millisecond)
	select {
	case <-time.After(rand.N(limit) + limit/4):
		return nil
	case <-closed.Done():
		return ErrClosed
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// isConflict reports that the server undid the transaction because of another.
func isConflict(err error) bool {
	var e *pgconn.PgError
	return errors.As(err, &e) && (e.Code == "40001" || e.Code == "40P01")
}

// isShutdown reports an error that the server sends while it stops or starts.
func isShutdown(code string) bool {
	return code == "57P01" || code == "57P02" || code == "57P03" || code == "25P03" || len(code) == 5 && code[:2] == "08"
}

// isLost reports that the connection was lost.
func isLost(err error) bool {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, ErrUnknownOutcome) || errors.Is(err, errNoAnswer) {
		return false
	}
	var refused *pgconn.PgError
	if errors.As(err, &refused) {
		return isShutdown(refused.Code)
	}
	var network net.Error
	var unconnected *pgconn.ConnectError
	return errors.Is(err, driver.ErrBadConn) || errors.Is(err, pgconn.ErrConnClosed) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) ||
		errors.As(err, &network) || errors.As(err, &unconnected) || errors.Is(err, sql.ErrConnDone)
}

// explain says what to do about an error of the server or of the connection.
func (e *postgresEngine) explain(err error) error {
	var explained *lang.Error
	if err == nil || errors.As(err, &explained) {
		return err
	}
	var refused *pgconn.PgError
	if isLost(err) || isConflict(err) || errors.Is(err, errNoAnswer) || errors.As(err, &refused) && isUnavailable(refused.Code) {
		return unavailable(lang.StoreServer.With(e.at, err), lang.StoreServerHint.With(), err)
	}
	return err
}

// isUnavailable reports the codes of a server that cannot do it now: resources,
// limits of time, no permission, a read-only server.
func isUnavailable(code string) bool {
	switch code {
	case "55P03", "57014", "25006", "42501", "3D000":
		return true
	}
	return len(code) == 5 && (code[:2] == "53" || code[:2] == "58" || code[:2] == "28" || code[:2] == "XX" || isShutdown(code))
}
