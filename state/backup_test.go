package state

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// dump returns all rows of all tables, without leases and the epoch.
func dump(t *testing.T, s *Store) map[string][]string {
	t.Helper()
	var h handle
	switch e := s.engine.(type) {
	case *sqliteEngine:
		h = e.read
	case *postgresEngine:
		h = e.db
	}
	tables, err := s.engine.tables(t.Context(), h)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]string{}
	for _, table := range tables {
		if table == "hosts" || table == "epochs" {
			continue
		}
		rows, err := h.QueryContext(t.Context(), "SELECT * FROM "+table+" ORDER BY 1, 2")
		if err != nil {
			t.Fatal(err)
		}
		columns, _ := rows.Columns()
		for rows.Next() {
			row, into := make([]any, len(columns)), make([]any, len(columns))
			for i := range row {
				into[i] = &row[i]
			}
			if err := rows.Scan(into...); err != nil {
				t.Fatal(err)
			}
			all[table] = append(all[table], fmt.Sprintf("%#v", row))
		}
		if err := errors.Join(rows.Err(), rows.Close()); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

func epochOf(t *testing.T, s *Store) (epoch int64) {
	t.Helper()
	err := s.View(t.Context(), func(ctx context.Context, tx *Tx) (err error) {
		epoch, err = tx.Epoch(ctx)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return epoch
}

// R2: a backup of either engine can be restored into either, with every byte.
// Leases are void, a new epoch begins, and the kinds of records are told.
func TestR2_BackupAndRestore(t *testing.T) {
	t.Parallel()
	for _, from := range []string{engineSQLite, enginePostgres} {
		for _, to := range []string{engineSQLite, enginePostgres} {
			t.Run(from+" to "+to, func(t *testing.T) {
				t.Parallel()
				a := withFeeds(t, openAt(t, newStoreURL(t, from), &Options{Space: "a"}), 250)
				lease(t, a)
				file := filepath.Join(t.TempDir(), "backup")
				if err := a.Backup(t.Context(), file); err != nil {
					t.Fatal(err)
				}
				if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
					t.Errorf("the file: %v, %v", info.Mode(), err)
				}
				want := dump(t, a)
				update(t, a, grow("feed 1")) // after the backup

				target := newStoreURL(t, to)
				b := withFeeds(t, openAt(t, target, &Options{Space: "b"}), 3)
				if err := b.Close(); err != nil {
					t.Fatal(err)
				}
				if err := Restore(t.Context(), target, file, &Options{Space: "a", more: []recordKind{{name: "test", restored: func(ctx context.Context, tx *Tx, now int64) error {
					_, err := tx.Next(ctx, "restored")
					return err
				}}}}); err != nil {
					t.Fatal(err)
				}
				restored := openAt(t, target, &Options{Space: "a"})
				want["feeds"] = append(want["feeds"], `[]interface {}{"a", "restored", 1}`)
				if diff := cmp.Diff(want, dump(t, restored)); diff != "" {
					t.Error(diff)
				}
				if epochOf(t, restored) == 0 || alive(t, restored, lease(t, a).Token()) {
					t.Error("the epoch or a lease of before")
				}
				lease(t, restored) // it works
			})
		}
	}
}

// withFeeds fills the tables that every store has.
func withFeeds(t *testing.T, s *Store, n int) *Store {
	t.Helper()
	update(t, s, func(ctx context.Context, tx *Tx) error {
		for i := range n {
			if _, err := tx.Next(ctx, fmt.Sprintf("feed %d", i)); err != nil {
				return err
			}
		}
		return nil
	})
	return s
}

// R2: a restore changes nothing while a host uses the store, or if it fails
// half-way; a backup never overwrites a file.
func TestR2_RestoreRefuses(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, open func(*Options) *Store) {
		s := withFeeds(t, open(nil), 3)
		file := filepath.Join(t.TempDir(), "backup")
		if err := s.Backup(t.Context(), file); err != nil {
			t.Fatal(err)
		}
		if err := s.Backup(t.Context(), file); !errors.Is(err, ErrInvalid) {
			t.Errorf("over a file: %v", err)
		}
		update(t, s, grow("feed 0"))
		want := dump(t, s)
		other := open(&Options{Space: "another"})
		lease(t, other)
		backup, err := openBackup(t.Context(), file, t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		defer backup.Close()
		if err := s.restore(t.Context(), backup); !errors.Is(err, ErrConflict) {
			t.Errorf("with a live host: %v", err)
		}
		if err := other.Close(); err != nil {
			t.Error(err)
		}
		s.kinds = append(s.kinds, recordKind{name: "test", restored: func(context.Context, *Tx, int64) error { return errors.New("half-way") }})
		if err := s.restore(t.Context(), backup); err == nil || !strings.Contains(err.Error(), "half-way") {
			t.Errorf("a failure half-way: %v", err)
		}
		if diff := cmp.Diff(want, dump(t, s)); diff != "" || epochOf(t, s) != 0 {
			t.Errorf("a restore that failed changed something: %s", diff)
		}
	})
}

// R2: what is not a backup, or a damaged one, is refused before anything changes.
func TestR2_BadBackups(t *testing.T) {
	t.Parallel()
	s := withFeeds(t, openAt(t, newStoreURL(t, engineSQLite), nil), 500)
	dir := t.TempDir()
	good := filepath.Join(dir, "good")
	if err := s.Backup(t.Context(), good); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	page := append([]byte(nil), data...)
	for i := 4096 * 3; i < 4096*5 && i < len(page); i++ {
		page[i] ^= 0x5a
	}
	for name, content := range map[string][]byte{"text": []byte("hello"), "empty": {}, "cut": data[:len(data)/2], "page": page} {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, content, 0o600); err != nil {
			t.Fatal(err)
		}
		target := filepath.Join(dir, name+".db")
		err := Restore(t.Context(), target, file, nil)
		if err == nil {
			t.Errorf("%s: restored", name)
		}
		if _, err := os.Stat(target); err == nil {
			t.Errorf("%s: the target was made", name)
		}
	}
	if err := Restore(t.Context(), filepath.Join(dir, "x.db"), filepath.Join(dir, "none"), nil); !errors.Is(err, ErrInvalid) {
		t.Errorf("a file that is not there: %v", err)
	}
}

// R2: check finds damage in the file, missing tables and what a kind looks for.
func TestR2_Check(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, open func(*Options) *Store) {
		s := withFeeds(t, open(&Options{more: []recordKind{{name: "test", check: func(ctx context.Context, tx *Tx) ([]Problem, error) {
			if last, err := tx.Last(ctx, "broken"); err != nil || last == 0 {
				return nil, err
			}
			return []Problem{{Kind: "test", Text: "broken"}}, nil
		}}}}), 3)
		problems, err := s.Check(t.Context())
		if err != nil || len(problems) != 0 {
			t.Errorf("a sound store: %v, %v", problems, err)
		}
		update(t, s, grow("broken"))
		update(t, s, func(ctx context.Context, tx *Tx) error {
			s.statements["TestDrop"] = &statement{name: "TestDrop", text: "DROP TABLE epochs"}
			s.statements["TestForget"] = &statement{name: "TestForget", text: "DELETE FROM store_versions WHERE version = 1"}
			_, err := tx.Exec(ctx, "TestDrop")
			_, err2 := tx.Exec(ctx, "TestForget")
			return errors.Join(err, err2)
		})
		problems, err = s.Check(t.Context())
		want := []Problem{{Kind: "versions", Text: "version 1 (0001_base) is missing"}, {Kind: "tables", Text: "the table epochs is missing"}, {Kind: "test", Text: "broken"}}
		if diff := cmp.Diff(want, problems); diff != "" || err != nil {
			t.Errorf("%v: %s", err, diff)
		}
	})
}

// R6: records are removed by age and by size, oldest first, in small steps; in
// the background when it is configured.
func TestR6_Retention(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, open func(*Options) *Store) {
		var steps int
		test := recordKind{name: "test", retain: &retainer{
			expire: func(ctx context.Context, tx *Tx, before int64, n int) (int64, error) {
				steps++
				return tx.Exec(ctx, "TestExpireRows", tx.Space(), before, n)
			},
			size: func(ctx context.Context, tx *Tx) (size int64, err error) {
				err = tx.Row(ctx, "TestSize", tx.Space()).Scan(&size)
				return size, err
			},
			shrink: func(ctx context.Context, tx *Tx, n int) (int64, error) {
				return tx.Exec(ctx, "TestExpireRows", tx.Space(), int64(1)<<62, min(n, 10))
			},
		}}
		s := withTable(t, open(&Options{more: []recordKind{test}}))
		extra, err := parseStatements(`
-- name: TestExpireRows
DELETE FROM test_rows WHERE space = $1 AND id IN (SELECT id FROM test_rows WHERE space = $1 AND n < $2 ORDER BY n, id LIMIT $3)
-- name: TestSize
SELECT CAST(COALESCE(SUM(LENGTH(value)), 0) AS BIGINT) FROM test_rows WHERE space = $1
`, s.Engine())
		if err != nil {
			t.Fatal(err)
		}
		for name, st := range extra {
			s.statements[name] = st
		}
		update(t, s, func(ctx context.Context, tx *Tx) error {
			now, err := tx.Now(ctx)
			for i := range 500 {
				at := now - int64(i)*time.Hour.Microseconds()
				if _, err := tx.Exec(ctx, "TestInsert", tx.Space(), fmt.Sprintf("%03d", i), at, make([]byte, 100)); err != nil {
					return err
				}
			}
			return err
		})
		removed, err := s.Retain(t.Context(), "test", Retention{Age: 100*time.Hour + 30*time.Minute})
		if err != nil || removed != 399 || steps != 3 {
			t.Errorf("by age: removed %d in %d steps, %v", removed, steps, err)
		}
		removed, err = s.Retain(t.Context(), "test", Retention{Bytes: 5000})
		all := values(t, s)
		if _, kept := all["000"]; err != nil || removed != 60 || len(all) != 41 || !kept {
			t.Errorf("by size: removed %d, %d left, the newest kept %v, %v", removed, len(all), kept, err)
		}
		if _, err := s.Retain(t.Context(), "nothing", Retention{}); !errors.Is(err, ErrInvalid) {
			t.Errorf("an unknown kind: %v", err)
		}
		update(t, s, func(ctx context.Context, tx *Tx) error {
			_, err := tx.Exec(ctx, "TestExpireRows", tx.Space(), int64(1)<<62, 1000)
			return errors.Join(err, insert("old", 1)(ctx, tx))
		})
		s.options.RetainEvery = time.Millisecond
		if err := s.KeepWithin(map[string]Retention{"typo": {}}); !errors.Is(err, ErrInvalid) {
			t.Errorf("a limit for an unknown kind: %v", err)
		}
		if err := s.KeepWithin(map[string]Retention{"test": {Age: time.Hour}}); err != nil {
			t.Error(err)
		}
		eventually(t, "the background removes it", func() bool { return len(values(t, s)) == 0 })
	})
	s := openAt(t, newStoreURL(t, engineSQLite), nil)
	if err := s.KeepWithin(nil); err != nil {
		t.Errorf("the limits of gongu serve: %v", err)
	}
}
