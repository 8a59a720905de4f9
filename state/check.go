package state

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	sqlite3 "modernc.org/sqlite/lib"
)

// Problem is something in a store that cannot be.
type Problem struct {
	// Kind is the kind of records, or "file", "tables" or "versions".
	Kind string `json:"kind"`
	// Text says what is wrong, in English: it has names of tables and records.
	Text string `json:"text"`
}

// Check looks for damage: in the file, in the tables and in each kind of records.
func (s *Store) Check(ctx context.Context) ([]Problem, error) {
	problems, err := s.engine.check(ctx)
	if err != nil {
		return nil, s.engine.explain(err)
	}
	err = s.View(ctx, func(ctx context.Context, tx *Tx) error {
		found := slices.Clone(problems)
		for _, k := range s.kinds {
			if k.check == nil {
				continue
			}
			more, err := k.check(ctx, tx)
			if err != nil {
				return fmt.Errorf("check %s: %w", k.name, err)
			}
			found = append(found, more...)
		}
		problems = found
		return nil
	})
	return problems, err
}

func (e *sqliteEngine) check(ctx context.Context) ([]Problem, error) {
	conn, err := e.db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	var problems []Problem
	lines, err := queryStrings(ctx, conn, "PRAGMA integrity_check(20)")
	if code := sqliteCode(err); code == sqlite3.SQLITE_CORRUPT || code == sqlite3.SQLITE_NOTADB {
		return []Problem{{Kind: "file", Text: err.Error()}}, nil
	}
	if err != nil {
		return nil, err
	}
	for _, line := range lines {
		if line != "ok" {
			problems = append(problems, Problem{Kind: "file", Text: strings.TrimSpace(line)})
		}
	}
	more, err := checkTables(ctx, e, conn)
	return append(problems, more...), err
}

func (e *postgresEngine) check(ctx context.Context) ([]Problem, error) {
	return checkTables(ctx, e, e.db)
}

// checkTables compares the versions and the tables with those of this gongu.
func checkTables(ctx context.Context, e engine, h handle) ([]Problem, error) {
	all, err := loadMigrations(migrationFiles, e.name())
	if err != nil {
		return nil, err
	}
	v, err := e.versions(ctx, h)
	if err != nil {
		return nil, err
	}
	var problems []Problem
	for _, m := range all {
		if !v.applied[m.version] {
			problems = append(problems, Problem{Kind: "versions", Text: fmt.Sprintf("version %d (%s) is missing", m.version, m.name)})
		}
	}
	there, err := e.tables(ctx, h)
	if err != nil {
		return nil, err
	}
	for _, m := range all {
		for _, table := range createdTables(m.ddl) {
			if !slices.Contains(there, table) {
				problems = append(problems, Problem{Kind: "tables", Text: fmt.Sprintf("the table %s is missing", table)})
			}
		}
	}
	return problems, nil
}

// createdTables returns the names of the tables that a migration makes.
func createdTables(ddl string) []string {
	var names []string
	for line := range strings.Lines(ddl) {
		if rest, ok := strings.CutPrefix(line, "CREATE TABLE "); ok {
			names = append(names, strings.Fields(rest)[0])
		}
	}
	return names
}

// queryStrings returns the first column of all rows.
func queryStrings(ctx context.Context, h handle, query string, args ...any) (all []string, err error) {
	rows, err := h.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, rows.Err()
}
