package state

import (
	"bytes"
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/gongu-ai/gongu/internal/lang"
)

//go:embed sqlite/*.sql postgres/*.sql
var migrationFiles embed.FS

// migration makes one version of the store out of the one before. It only adds,
// so that a gongu that knows the version needs can go on beside it.
type migration struct {
	version, needs int
	name, ddl      string
}

// loadMigrations reads the migrations of a folder in the order of their versions.
func loadMigrations(files fs.FS, engine string) ([]migration, error) {
	entries, err := fs.ReadDir(files, engine)
	if err != nil {
		return nil, err
	}
	var all []migration
	for _, entry := range entries {
		data, err := fs.ReadFile(files, path.Join(engine, entry.Name()))
		if err != nil {
			return nil, err
		}
		digits, _, _ := strings.Cut(entry.Name(), "_")
		version, err := strconv.Atoi(digits)
		if err != nil {
			return nil, fmt.Errorf("state: migration %s has no number: %w", entry.Name(), err)
		}
		first, _, _ := bytes.Cut(data, []byte("\n"))
		needs, err := strconv.Atoi(strings.TrimPrefix(string(first), "-- needs "))
		if err != nil {
			return nil, fmt.Errorf(`state: migration %s does not begin with "-- needs N": %w`, entry.Name(), err)
		}
		all = append(all, migration{version: version, needs: needs, name: strings.TrimSuffix(entry.Name(), ".sql"), ddl: string(data)})
	}
	slices.SortFunc(all, func(a, b migration) int { return a.version - b.version })
	return all, nil
}

// handle is a connection or a transaction of database/sql.
type handle interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

const versionsTable = `CREATE TABLE store_versions (
	version BIGINT NOT NULL PRIMARY KEY,
	needs   BIGINT NOT NULL,
	name    TEXT   NOT NULL,
	applied BIGINT NOT NULL
)`

// versions is what a store says about its tables.
type versions struct {
	made    bool // the table of versions is there
	applied map[int]bool
	newest  int
	needs   int // a gongu that does not know this version must not use the store
}

// readVersions reads the versions of a store. exists is a query that counts the
// tables named store_versions.
func readVersions(ctx context.Context, h handle, exists string) (versions, error) {
	v := versions{applied: map[int]bool{}}
	tables, err := queryInt(ctx, h, exists)
	if err != nil || tables == 0 {
		return v, err
	}
	v.made = true
	rows, err := h.QueryContext(ctx, "SELECT version, needs FROM store_versions ORDER BY version")
	if err != nil {
		return v, err
	}
	defer rows.Close()
	for rows.Next() {
		var version, needs int
		if err := rows.Scan(&version, &needs); err != nil {
			return v, err
		}
		v.applied[version] = true
		v.newest, v.needs = max(v.newest, version), max(v.needs, needs)
	}
	return v, rows.Err()
}

// pending returns the migrations that a store lacks, or [ErrNewer].
func (v *versions) pending(all []migration, store string) ([]migration, error) {
	known := all[len(all)-1].version
	if v.needs > known {
		return nil, lang.NewError(ErrNewer, lang.StoreNewer.With(store, v.newest, known), lang.StoreNewerHint.With())
	}
	var missing []migration
	for _, m := range all {
		if !v.applied[m.version] {
			missing = append(missing, m)
		}
	}
	return missing, nil
}

// migrate applies migrations inside a transaction that holds the store's lock.
func migrate(ctx context.Context, h handle, v versions, missing []migration, now int64) error {
	if !v.made {
		if _, err := h.ExecContext(ctx, versionsTable); err != nil {
			return fmt.Errorf("make the table of versions: %w", err)
		}
	}
	for _, m := range missing {
		if _, err := h.ExecContext(ctx, m.ddl); err != nil {
			return fmt.Errorf("migration %s: %w", m.name, err)
		}
		if _, err := h.ExecContext(ctx, "INSERT INTO store_versions (version, needs, name, applied) VALUES ($1, $2, $3, $4)", m.version, m.needs, m.name, now); err != nil {
			return fmt.Errorf("migration %s: %w", m.name, err)
		}
	}
	return nil
}

// queryInt returns the number in the first column of the first row.
func queryInt(ctx context.Context, h handle, query string, args ...any) (n int64, err error) {
	rows, err := h.QueryContext(ctx, query, args...)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	if !rows.Next() {
		return 0, rows.Err()
	}
	if err := rows.Scan(&n); err != nil {
		return 0, err
	}
	return n, rows.Close()
}
