package state

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/gongu-ai/gongu/internal/lang"
)

// Restore replaces all records of a store, of every space, by those of a backup,
// in one transaction. What was under way when the backup was made is not: leases
// are void, suspended calls and open approvals cancelled, and started calls of
// unknown outcome. It begins a new epoch. A store that a host is using is refused
// with [ErrConflict].
func Restore(ctx context.Context, url, path string, o *Options) error {
	dir, err := os.MkdirTemp("", "gongu-restore-")
	if err != nil {
		return fmt.Errorf("state: %w", err)
	}
	defer os.RemoveAll(dir)
	backup, err := openBackup(ctx, path, dir)
	if err != nil {
		return err
	}
	defer backup.Close()
	s, err := Open(ctx, url, o)
	if err != nil {
		return err
	}
	err = s.restore(ctx, backup)
	return errors.Join(err, s.Close())
}

// openBackup opens a copy of a backup and brings it to the version of this gongu;
// the file stays as it is.
func openBackup(ctx context.Context, path, dir string) (*Store, error) {
	if _, err := os.Stat(path); err != nil {
		return nil, lang.NewError(ErrInvalid, lang.StoreNoBackup.With(path, err), lang.StoreNoBackupHint.With()).Because(err)
	}
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	source := &sqliteEngine{path: absolute}
	file := filepath.Join(dir, "state.db")
	if err := copyBackup(ctx, absolute, file); err != nil {
		return nil, source.explain(err)
	}
	s, err := Open(ctx, file, nil)
	if err != nil {
		return nil, fmt.Errorf("backup %s: %w", path, err)
	}
	problems, err := s.engine.check(ctx)
	if err == nil && len(problems) > 0 {
		err = lang.NewError(ErrInvalid, lang.StoreBadBackup.With(path, problems[0].Text), lang.StoreNoBackupHint.With())
	}
	if err != nil {
		return nil, errors.Join(source.explain(err), s.Close())
	}
	return s, nil
}

// copyBackup copies a file through SQLite, so that what lies in a write-ahead log
// beside it comes along.
func copyBackup(ctx context.Context, from, to string) (err error) {
	q := url.Values{"mode": {"ro"}, "_error_rc": {"1"}}
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: filepath.ToSlash(from)}).EscapedPath()+"?"+q.Encode())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	id, err := queryInt(ctx, db, "PRAGMA application_id")
	if err == nil && id != applicationID {
		return lang.NewError(ErrInvalid, lang.StoreOther.With(from), lang.StoreNoBackupHint.With())
	}
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, "VACUUM INTO $1", to)
	return err
}

func (s *Store) restore(ctx context.Context, backup *Store) error {
	source, ok := backup.engine.(*sqliteEngine)
	if !ok {
		return fmt.Errorf("state: %s is not a backup", backup)
	}
	from, err := source.read.Conn(ctx)
	if err != nil {
		return err
	}
	defer from.Close()
	err = s.engine.replace(ctx, func(ctx context.Context, h handle) error {
		tx := &Tx{store: s, run: handleRunner{h: h, engine: s.engine}, write: true}
		now, err := tx.Now(ctx)
		if err != nil {
			return err
		}
		if err := tx.refuseLiveHosts(ctx, now); err != nil {
			return err
		}
		if err := s.emptyAll(ctx, h); err != nil {
			return err
		}
		if err := copyAll(ctx, from, h, s.engine); err != nil {
			return err
		}
		for _, k := range s.kinds {
			if k.restored == nil {
				continue
			}
			if err := k.restored(ctx, tx, now); err != nil {
				return fmt.Errorf("restore %s: %w", k.name, err)
			}
		}
		_, err = tx.Exec(ctx, "EpochSet", now)
		return tx.finish(err)
	})
	if err != nil {
		return fmt.Errorf("restore %s: %w", s, s.engine.explain(err))
	}
	return nil
}

// refuseLiveHosts returns [ErrConflict] if a host of any space has a lease.
func (t *Tx) refuseLiveHosts(ctx context.Context, now int64) error {
	var host string
	err := t.Row(ctx, "HostLive", now).Scan(&host)
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	return lang.NewError(ErrConflict, lang.StoreInUse.With(host), lang.StoreInUseHint.With())
}

func (s *Store) emptyAll(ctx context.Context, h handle) error {
	names, err := s.engine.tables(ctx, h)
	if err != nil {
		return err
	}
	for _, table := range names {
		if _, err := h.ExecContext(ctx, "DELETE FROM "+table); err != nil {
			return fmt.Errorf("table %s: %w", table, err)
		}
	}
	return nil
}

// Epoch returns the time of the last restore of the store, 0 without one. Numbers
// of feeds from before a restore mean nothing after it.
func (t *Tx) Epoch(ctx context.Context) (int64, error) {
	var epoch int64
	err := t.Row(ctx, "EpochGet").Scan(&epoch)
	if errors.Is(err, ErrNotFound) {
		return 0, nil
	}
	return epoch, err
}

func (e *sqliteEngine) replace(ctx context.Context, f func(ctx context.Context, h handle) error) error {
	return e.w.exclusively(ctx, func(conn *sql.Conn) error {
		if err := e.w.begin(); err != nil {
			return err
		}
		ctx := context.WithoutCancel(ctx)
		if err := f(ctx, conn); err != nil {
			_, rolled := conn.ExecContext(ctx, "ROLLBACK")
			return errors.Join(err, ignoreNoTransaction(rolled))
		}
		_, err := conn.ExecContext(ctx, "COMMIT")
		return err
	})
}

func (e *postgresEngine) replace(ctx context.Context, f func(ctx context.Context, h handle) error) error {
	tx, err := e.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := unbounded(ctx, tx); err != nil {
		return err
	}
	names, err := e.tables(ctx, tx)
	if err != nil {
		return err
	}
	for _, table := range names {
		if _, err := tx.ExecContext(ctx, "LOCK TABLE "+table+" IN ACCESS EXCLUSIVE MODE"); err != nil {
			return err
		}
	}
	if err := f(ctx, tx); err != nil {
		return err
	}
	return tx.Commit()
}

// handleRunner runs statements on a handle, without keeping them prepared.
type handleRunner struct {
	h      handle
	engine engine
}

func (r handleRunner) exec(ctx context.Context, st *statement, args []any) (sql.Result, error) {
	return r.h.ExecContext(ctx, st.text, args...)
}

func (r handleRunner) query(ctx context.Context, st *statement, args []any) (*sql.Rows, error) {
	return r.h.QueryContext(ctx, st.text, args...)
}

func (r handleRunner) now(ctx context.Context) (int64, error) {
	if r.engine.name() == enginePostgres {
		return postgresNow(ctx, r.h)
	}
	return time.Now().UnixMicro(), nil
}
