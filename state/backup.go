package state

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gongu-ai/gongu/internal/fsx"
	"github.com/gongu-ai/gongu/internal/lang"
)

// Backup writes all records of the store, of every space, as they are at one
// moment, to a new file. The file is a SQLite store, private to this user, and
// [Restore] reads it into a store of either engine. Others can write meanwhile.
func (s *Store) Backup(ctx context.Context, path string) error {
	path, err := filepath.Abs(path)
	if err != nil {
		return fmt.Errorf("state: %w", err)
	}
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return lang.NewError(ErrInvalid, lang.StoreBackupExists.With(path), lang.StoreBackupHint.With()).Because(err)
	}
	dir, err := os.MkdirTemp(filepath.Dir(path), ".backup-")
	if err != nil {
		return unavailable(lang.StoreReadOnly.With(path), lang.StoreReadHint.With(filepath.Dir(path)), err)
	}
	defer os.RemoveAll(dir)
	unfinished := filepath.Join(dir, "state.db")
	if err := s.engine.backup(ctx, s, unfinished); err != nil {
		return fmt.Errorf("back up %s: %w", s, s.engine.explain(err))
	}
	if err := keepFile(unfinished, path); err != nil {
		return unavailable(lang.StoreReadOnly.With(path), lang.StoreReadHint.With(filepath.Dir(path)), err)
	}
	return nil
}

// keepFile brings a complete file to the disk and gives it its name.
func keepFile(from, to string) error {
	file, err := fsx.OpenPrivate(from, os.O_RDWR)
	if err != nil {
		return err
	}
	if err := errors.Join(file.Sync(), file.Close()); err != nil {
		return err
	}
	if err := os.Rename(from, to); err != nil {
		return err
	}
	return fsx.SyncFolder(filepath.Dir(to))
}

func (e *sqliteEngine) backup(ctx context.Context, _ *Store, path string) error {
	conn, err := e.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	_, err = conn.ExecContext(ctx, "VACUUM INTO $1", path)
	return err
}

func (e *postgresEngine) backup(ctx context.Context, s *Store, path string) (err error) {
	all, err := loadMigrations(migrationFiles, engineSQLite)
	if err != nil {
		return err
	}
	tx, err := e.db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true})
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := unbounded(ctx, tx); err != nil {
		return err
	}
	v, err := e.versions(ctx, tx)
	if err != nil {
		return err
	}
	if known := all[len(all)-1].version; v.newest > known { // its tables are not known here
		return lang.NewError(ErrNewer, lang.StoreNewer.With(e.at, v.newest, known), lang.StoreNewerHint.With())
	}
	o := s.options
	opened, err := openSQLite(ctx, path, &o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, opened.close()) }()
	if err := opened.migrate(ctx, all); err != nil {
		return err
	}
	return opened.replace(ctx, func(ctx context.Context, h handle) error { return copyAll(ctx, tx, h, opened) })
}

// unbounded lifts the limits of time for a transaction that reads or writes all
// records.
func unbounded(ctx context.Context, tx *sql.Tx) error {
	_, err := tx.ExecContext(ctx, "SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0; SET LOCAL lock_timeout = 0")
	return err
}

func (e *sqliteEngine) versions(ctx context.Context, h handle) (versions, error) {
	return readVersions(ctx, h, sqliteHasVersions)
}

func (e *postgresEngine) versions(ctx context.Context, h handle) (versions, error) {
	return readVersions(ctx, h, postgresHasVersions)
}

func (e *sqliteEngine) tables(ctx context.Context, h handle) ([]string, error) {
	return queryStrings(ctx, h, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB 'sqlite_*' AND name <> 'store_versions' ORDER BY name")
}

func (e *postgresEngine) tables(ctx context.Context, h handle) ([]string, error) {
	return queryStrings(ctx, h, "SELECT CAST(tablename AS TEXT) FROM pg_tables WHERE schemaname = current_schema() AND tablename <> 'store_versions' ORDER BY 1")
}

// copyAll copies the rows of all tables that the target has.
func copyAll(ctx context.Context, from, to handle, target engine) error {
	names, err := target.tables(ctx, to)
	if err != nil {
		return err
	}
	for _, table := range names {
		if err := copyTable(ctx, from, to, table); err != nil {
			return fmt.Errorf("table %s: %w", table, err)
		}
	}
	return nil
}

// copyRows is how many rows one statement inserts.
const copyRows = 100

func copyTable(ctx context.Context, from, to handle, table string) (err error) {
	rows, err := from.QueryContext(ctx, "SELECT * FROM "+table)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	columns, err := rows.Columns()
	if err != nil {
		return err
	}
	many := insertRows(table, columns, copyRows)
	var values []any
	flush := func(query string) error {
		_, err := to.ExecContext(ctx, query, values...)
		values = values[:0]
		return err
	}
	for rows.Next() {
		row := make([]any, len(columns))
		into := make([]any, len(columns))
		for i := range row {
			into[i] = &row[i]
		}
		if err := rows.Scan(into...); err != nil {
			return err
		}
		for i := range row {
			if b, isBytes := row[i].([]byte); isBytes && b == nil {
				row[i] = []byte{} // SQLite gives nil for no bytes, which would become NULL
			}
		}
		if values = append(values, row...); len(values) == copyRows*len(columns) {
			if err := flush(many); err != nil {
				return err
			}
		}
	}
	if err := rows.Err(); err != nil || len(values) == 0 {
		return err
	}
	return flush(insertRows(table, columns, len(values)/len(columns)))
}

// insertRows returns the statement that inserts n rows.
func insertRows(table string, columns []string, n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "INSERT INTO %s (%s) VALUES ", table, strings.Join(columns, ", "))
	param := 0
	for row := range n {
		if row > 0 {
			b.WriteString(", ")
		}
		for i := range columns {
			param++
			fmt.Fprintf(&b, "%s$%d", map[bool]string{true: "(", false: ", "}[i == 0], param)
		}
		b.WriteString(")")
	}
	return b.String()
}
