package state

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func migrationsOf(t *testing.T, engine string) []migration {
	t.Helper()
	all, err := loadMigrations(migrationFiles, engine)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// at opens the engine of a store with the first n migrations only.
func at(t *testing.T, url string, migrations []migration) *Store {
	t.Helper()
	o, err := (*Options)(nil).withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	e, err := connect(t.Context(), url, &o)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.migrate(t.Context(), migrations); err != nil {
		t.Fatal(err)
	}
	statements, err := parseStatements(statementsFile, e.name())
	if err != nil {
		t.Fatal(err)
	}
	s := &Store{options: o, engine: e, statements: statements, kinds: kinds()}
	s.background, s.stop = context.WithCancel(t.Context())
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// handleOf returns the connections of a store.
func handleOf(s *Store) handle {
	switch e := s.engine.(type) {
	case *sqliteEngine:
		return e.db
	case *postgresEngine:
		return e.db
	}
	return nil
}

func versionsOf(t *testing.T, s *Store) versions {
	t.Helper()
	v, err := s.engine.versions(t.Context(), handleOf(s))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// R2: a store of every earlier version is brought up to date, with its records.
func TestR2_FromEveryVersion(t *testing.T) {
	t.Parallel()
	onEngineURLs(t, func(t *testing.T, engine string, newURL func() string) {
		all := migrationsOf(t, engine)
		for n := 1; n <= len(all); n++ {
			url := newURL()
			old := at(t, url, all[:n])
			update(t, old, grow("kept"))
			if err := old.Close(); err != nil {
				t.Fatal(err)
			}
			s := openAt(t, url, nil)
			v := versionsOf(t, s)
			if len(v.applied) != len(all) || v.newest != all[len(all)-1].version {
				t.Errorf("from version %d: %+v", n, v)
			}
			if problems, err := s.Check(t.Context()); err != nil || len(problems) > 0 {
				t.Errorf("from version %d: %v, %v", n, problems, err)
			}
			update(t, s, func(ctx context.Context, tx *Tx) error {
				if seq, err := tx.Next(ctx, "kept"); err != nil || seq != 2 {
					return fmt.Errorf("a record of version %d: %d, %w", n, seq, err)
				}
				return nil
			})
		}
	})
}

// onEngineURLs runs a test on each engine with new stores.
func onEngineURLs(t *testing.T, f func(t *testing.T, engine string, newURL func() string)) {
	t.Helper()
	for _, engine := range []string{engineSQLite, enginePostgres} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			f(t, engine, func() string { return newStoreURL(t, engine) })
		})
	}
}

// R2: many processes that open a new store at once migrate it once.
func TestR2_MigratedOnce(t *testing.T) {
	t.Parallel()
	onEngineURLs(t, func(t *testing.T, engine string, newURL func() string) {
		url := newURL()
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				s, err := Open(t.Context(), url, &Options{Busy: time.Minute}) // 5 s are short on a busy machine
				if err != nil {
					t.Error(err)
					return
				}
				if err := errors.Join(s.Update(t.Context(), grow("opened")), s.Close()); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		s := openAt(t, url, nil)
		var last int64
		_ = s.View(t.Context(), func(ctx context.Context, tx *Tx) (err error) { last, err = tx.Last(ctx, "opened"); return err })
		if v := versionsOf(t, s); len(v.applied) != len(migrationsOf(t, engine)) || last != 8 {
			t.Errorf("%+v, %d of 8 writes", v, last)
		}
	})
}

// R2: a migration that fails leaves the store as it was.
func TestR2_FailedMigration(t *testing.T) {
	t.Parallel()
	onEngineURLs(t, func(t *testing.T, engine string, newURL func() string) {
		url, all := newURL(), migrationsOf(t, engine)
		s := at(t, url, all)
		broken := append(all, migration{version: 9001, needs: 1, name: "9001_broken", ddl: "CREATE TABLE half (x BIGINT);\nCREATE TABLE feeds (x BIGINT)"})
		if err := s.engine.migrate(t.Context(), broken); err == nil {
			t.Fatal("it worked")
		}
		if problems, err := s.Check(t.Context()); err != nil || len(problems) > 0 {
			t.Errorf("%v, %v", problems, err)
		}
		tables, err := s.engine.tables(t.Context(), handleOf(s))
		if err != nil || strings.Contains(strings.Join(tables, " "), "half") {
			t.Errorf("%v, %v", tables, err)
		}
		update(t, s, grow("goes on"))
	})
}

// R2: a store of a newer version that needs a newer gongu is refused unharmed;
// with a version that only adds, this gongu goes on, with every statement.
func TestR2_NewerVersions(t *testing.T) {
	t.Parallel()
	onEngineURLs(t, func(t *testing.T, engine string, newURL func() string) {
		url, all := newURL(), migrationsOf(t, engine)
		running := openAt(t, url, nil)
		tables, err := running.engine.tables(t.Context(), handleOf(running))
		if err != nil {
			t.Fatal(err)
		}
		ddl := "CREATE TABLE added (space TEXT NOT NULL PRIMARY KEY);\n"
		for _, table := range tables {
			ddl += "ALTER TABLE " + table + " ADD COLUMN added_later INTEGER NOT NULL DEFAULT 7;\n"
		}
		next := append(all, migration{version: 9001, needs: all[len(all)-1].version, name: "9001_next", ddl: ddl})
		at(t, url, next)
		update(t, running, grow("beside")) // a gongu that was running
		again := openAt(t, url, nil)       // one that starts
		update(t, again, grow("beside"))
		for name, st := range again.statements {
			if err := prepareOnly(t.Context(), again, st.text); err != nil {
				t.Errorf("%s with newer tables: %v", name, err)
			}
		}

		newest := at(t, url, append(next, migration{version: 9002, needs: 9002, name: "9002_refuses", ddl: "CREATE TABLE strange (space TEXT NOT NULL PRIMARY KEY)"}))
		if err := errors.Join(newest.Close(), again.Close(), running.Close()); err != nil {
			t.Fatal(err)
		}
		before := content(t, engine, url)
		_, err = Open(t.Context(), url, nil)
		if !errors.Is(err, ErrNewer) || !strings.Contains(err.Error(), "9002") {
			t.Errorf("a newer store: %v", err)
		}
		if content(t, engine, url) != before {
			t.Error("the newer store was changed")
		}
	})
}

// content returns the bytes of a store in a file.
func content(t *testing.T, engine, url string) string {
	t.Helper()
	if engine != engineSQLite {
		return ""
	}
	data, err := os.ReadFile(strings.TrimPrefix(url, "sqlite:"))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// R2: migrations of both engines have the same names, make the same columns and
// only add. R1: every key begins with space, and text is compared by its bytes.
func TestR2_MigrationsAgree(t *testing.T) {
	t.Parallel()
	lite, server := migrationsOf(t, engineSQLite), migrationsOf(t, enginePostgres)
	for i := range max(len(lite), len(server)) {
		if i >= len(lite) || i >= len(server) || lite[i].name != server[i].name || lite[i].needs != server[i].needs || lite[i].version != i+1 {
			t.Fatalf("migration %d differs between the engines, or its number is not the next", i+1)
		}
	}
	adds := regexp.MustCompile(`(?m)^(CREATE (UNIQUE )?(TABLE|INDEX|VIEW) |ALTER TABLE \w+ ADD COLUMN |INSERT INTO )`)
	for _, m := range append(lite, server...) {
		for _, text := range strings.Split(regexp.MustCompile(`(?m)^\s*--.*$`).ReplaceAllString(m.ddl, ""), ";") {
			if text = strings.TrimSpace(text); text != "" && !adds.MatchString(text) {
				t.Errorf("%s: a migration only adds, but has: %s", m.name, text)
			}
		}
	}
	a, b := openAt(t, newStoreURL(t, engineSQLite), nil), openAt(t, newStoreURL(t, enginePostgres), nil)
	litecolumns, err := queryStrings(t.Context(), handleOf(a), `SELECT m.name || '.' || c.name || CASE c.pk WHEN 1 THEN ' key' ELSE '' END
		FROM sqlite_schema m, pragma_table_info(m.name) c WHERE m.type = 'table' AND m.name NOT GLOB 'sqlite_*' AND m.name <> 'store_versions' ORDER BY 1`)
	if err != nil {
		t.Fatal(err)
	}
	columns, err := queryStrings(t.Context(), handleOf(b), `SELECT c.table_name || '.' || c.column_name || CASE k.ordinal_position WHEN 1 THEN ' key' ELSE '' END
		FROM information_schema.columns c
		LEFT JOIN information_schema.table_constraints p ON p.table_schema = c.table_schema AND p.table_name = c.table_name AND p.constraint_type = 'PRIMARY KEY'
		LEFT JOIN information_schema.key_column_usage k ON k.constraint_schema = p.constraint_schema AND k.constraint_name = p.constraint_name AND k.column_name = c.column_name
		WHERE c.table_schema = current_schema() AND c.table_name IN (SELECT tablename FROM pg_tables WHERE schemaname = current_schema()) AND c.table_name <> 'store_versions' ORDER BY (c.table_name || '.' || c.column_name) COLLATE "C"`)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(litecolumns, columns); diff != "" {
		t.Errorf("the tables differ (-sqlite +postgres):\n%s", diff)
	}
	for _, column := range columns {
		if name, key := strings.CutSuffix(column, " key"); key && !strings.HasSuffix(name, ".space") {
			t.Errorf("the key of a table begins with %s and not with its space", name)
		}
	}
	wrong, err := queryStrings(t.Context(), handleOf(b), `SELECT table_name || '.' || column_name FROM information_schema.columns
		WHERE table_schema = current_schema() AND data_type = 'text' AND COALESCE(collation_name, '') <> 'C' AND table_name <> 'store_versions'`)
	if err != nil || len(wrong) > 0 {
		t.Errorf(`text without COLLATE "C": %v, %v`, wrong, err)
	}
}

func TestR2_BadMigrationFiles(t *testing.T) {
	t.Parallel()
	for name, files := range map[string]fstest.MapFS{
		"no number": {"sqlite/base.sql": {Data: []byte("-- needs 1\n")}},
		"no needs":  {"sqlite/0001_a.sql": {Data: []byte("CREATE TABLE x\n")}},
		"no folder": {},
	} {
		if _, err := loadMigrations(files, engineSQLite); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
