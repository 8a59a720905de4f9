package state

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/gongu-ai/gongu/internal/pgtest"
)

// onEngines runs a test on a new store of each engine. open opens the store; it
// can be called again for a second host.
func onEngines(t *testing.T, f func(t *testing.T, open func(o *Options) *Store)) {
	t.Helper()
	for _, engine := range []string{engineSQLite, enginePostgres} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			url := newStoreURL(t, engine)
			f(t, func(o *Options) *Store { return openAt(t, url, o) })
		})
	}
}

// newStoreURL returns the address of a store that does not exist yet.
func newStoreURL(t *testing.T, engine string) string {
	t.Helper()
	if engine == engineSQLite {
		return "sqlite:" + filepath.Join(t.TempDir(), "state.db")
	}
	return pgtest.URL(t)
}

func openAt(t *testing.T, url string, o *Options) *Store {
	t.Helper()
	s, err := Open(t.Context(), url, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// withTable adds a table for a test, and statements for it.
func withTable(t *testing.T, s *Store) *Store {
	t.Helper()
	blob := "BLOB"
	if s.Engine() == enginePostgres {
		blob = "BYTEA"
	}
	extra, err := parseStatements(`
-- name: TestTable
CREATE TABLE IF NOT EXISTS test_rows (space TEXT NOT NULL, id TEXT NOT NULL, n BIGINT NOT NULL, value `+blob+`, PRIMARY KEY (space, id))
-- name: TestInsert
INSERT INTO test_rows (space, id, n, value) VALUES ($1, $2, $3, CAST($4 AS BYTEA)) ON CONFLICT (space, id) DO NOTHING
-- name: TestAdd
UPDATE test_rows SET n = n + $3 WHERE space = $1 AND id = $2
-- name: TestSet
UPDATE test_rows SET n = $3 WHERE space = $1 AND id = $2 AND n = $4
-- name: TestAll
UPDATE test_rows SET n = n WHERE space = $1
-- name: TestGet
SELECT n, value FROM test_rows WHERE space = $1 AND id = $2
-- name: TestList
SELECT id, n FROM test_rows WHERE space = $1 ORDER BY id
-- name: TestBad
INSERT INTO test_rows (space, id, n) VALUES ($1, $2, CAST($3 AS BIGINT))
`, s.Engine())
	if err != nil {
		t.Fatal(err)
	}
	for name, st := range extra {
		s.statements[name] = st
	}
	update(t, s, func(ctx context.Context, tx *Tx) error {
		_, err := tx.Exec(ctx, "TestTable")
		return err
	})
	return s
}

func update(t *testing.T, s *Store, f unit) {
	t.Helper()
	if err := s.Update(t.Context(), f); err != nil {
		t.Fatal(err)
	}
}

// insert returns a unit that inserts a row.
func insert(id string, n int) unit {
	return func(ctx context.Context, tx *Tx) error {
		_, err := tx.Exec(ctx, "TestInsert", tx.Space(), id, n, nil)
		return err
	}
}

// values returns the rows of the table by id.
func values(t *testing.T, s *Store) map[string]int64 {
	t.Helper()
	var all map[string]int64
	err := s.View(t.Context(), func(ctx context.Context, tx *Tx) error {
		all = map[string]int64{}
		rows, err := tx.Query(ctx, "TestList", tx.Space())
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var id string
			var n int64
			if err := rows.Scan(&id, &n); err != nil {
				return err
			}
			all[id] = n
		}
		return rows.Err()
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
