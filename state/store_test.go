package state

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// R1: the same unit does the same on both engines.
func TestR1_UpdateAndView(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, open func(*Options) *Store) {
		s := withTable(t, open(nil))
		value := []byte("a\x00b\xff")
		update(t, s, func(ctx context.Context, tx *Tx) error {
			if hit, err := tx.One(ctx, "TestInsert", tx.Space(), "a", 1, value); err != nil || !hit {
				return fmt.Errorf("insert: %v, %w", hit, err)
			}
			if hit, err := tx.One(ctx, "TestInsert", tx.Space(), "a", 2, nil); err != nil || hit {
				return fmt.Errorf("insert again: %v, %w", hit, err)
			}
			hit, err := tx.One(ctx, "TestSet", tx.Space(), "a", 5, 4)
			if err != nil || hit {
				return fmt.Errorf("a condition that does not hold: %v, %w", hit, err)
			}
			_, err = tx.Exec(ctx, "TestInsert", tx.Space(), "b", true, []byte(nil))
			return err
		})
		failure := errors.New("stop")
		err := s.Update(t.Context(), func(ctx context.Context, tx *Tx) error {
			if err := insert("c", 1)(ctx, tx); err != nil {
				return err
			}
			return failure
		})
		if !errors.Is(err, failure) {
			t.Errorf("the error of the function: %v", err)
		}
		if diff := cmp.Diff(map[string]int64{"a": 1, "b": 1}, values(t, s)); diff != "" {
			t.Error(diff)
		}
		err = s.View(t.Context(), func(ctx context.Context, tx *Tx) error {
			var n int64
			var got []byte
			if err := tx.Row(ctx, "TestGet", tx.Space(), "a").Scan(&n, &got); err != nil || !bytes.Equal(got, value) {
				return fmt.Errorf("bytes: %q, %w", got, err)
			}
			if err := tx.Row(ctx, "TestGet", tx.Space(), "b").Scan(&n, &got); err != nil || got != nil {
				return fmt.Errorf("NULL: %q, %w", got, err)
			}
			return tx.Row(ctx, "TestGet", tx.Space(), "none").Scan(&n, &got)
		})
		if !errors.Is(err, ErrNotFound) {
			t.Errorf("a row that is not there: %v", err)
		}
	})
}

// R1: what only one engine would accept is refused by both, and a transaction in
// which a statement failed is never committed.
func TestR1_EnginesRefuseAlike(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, open func(*Options) *Store) {
		s := withTable(t, open(nil))
		update(t, s, insert("x", 1))
		update(t, s, insert("y", 1))
		for name, f := range map[string]unit{
			"unknown statement": func(ctx context.Context, tx *Tx) error { _, err := tx.Exec(ctx, "Nothing"); return err },
			"NUL in text": func(ctx context.Context, tx *Tx) error {
				_, err := tx.Exec(ctx, "TestInsert", tx.Space(), "a\x00b", 1, nil)
				return err
			},
			"not UTF-8": func(ctx context.Context, tx *Tx) error {
				_, err := tx.Exec(ctx, "TestInsert", tx.Space(), "a\xff", 1, nil)
				return err
			},
			"too few arguments": func(ctx context.Context, tx *Tx) error {
				_, err := tx.Exec(ctx, "TestInsert", tx.Space(), "a", 1)
				return err
			},
			"too many arguments": func(ctx context.Context, tx *Tx) error {
				_, err := tx.Exec(ctx, "TestList", tx.Space(), "a")
				return err
			},
			"a type": func(ctx context.Context, tx *Tx) error {
				_, err := tx.Exec(ctx, "TestInsert", tx.Space(), "a", 1.5, nil)
				return err
			},
			"two rows": func(ctx context.Context, tx *Tx) error { _, err := tx.One(ctx, "TestAll", tx.Space()); return err },
			"an error that the function ignores": func(ctx context.Context, tx *Tx) error {
				_ = insert("ignored", 1)(ctx, tx)
				_, _ = tx.Exec(ctx, "TestBad", tx.Space(), "x", nil)
				return nil
			},
			"a statement while rows are open": func(ctx context.Context, tx *Tx) error {
				rows, err := tx.Query(ctx, "TestList", tx.Space())
				if err != nil {
					return err
				}
				defer rows.Close()
				return insert("z", 1)(ctx, tx)
			},
			"rows left open": func(ctx context.Context, tx *Tx) error {
				if err := insert("left", 1)(ctx, tx); err != nil {
					return err
				}
				_, err := tx.Query(ctx, "TestList", tx.Space())
				return err
			},
			"a transaction inside": func(ctx context.Context, tx *Tx) error { return s.Update(ctx, insert("inner", 1)) },
			"a view inside":        func(ctx context.Context, tx *Tx) error { return s.View(ctx, insert("inner", 1)) },
		} {
			if err := s.Update(t.Context(), f); err == nil {
				t.Errorf("%s: no error", name)
			}
		}
		var kept *Tx
		update(t, s, func(ctx context.Context, tx *Tx) error { kept = tx; return nil })
		if _, err := kept.Exec(t.Context(), "TestAll", "default"); err == nil {
			t.Error("a transaction can be used after its end")
		}
		if err := s.View(t.Context(), insert("view", 1)); err == nil {
			t.Error("a view wrote")
		}
		if diff := cmp.Diff(map[string]int64{"x": 1, "y": 1}, values(t, s)); diff != "" {
			t.Error(diff)
		}
	})
}

// R1: a panic, a goroutine that ends and a context that ends concern one unit
// only, and the store goes on.
func TestR1_OneUnitFails(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, open func(*Options) *Store) {
		s := withTable(t, open(nil))
		err := s.Update(t.Context(), func(ctx context.Context, tx *Tx) error {
			_ = insert("panic", 1)(ctx, tx)
			panic("oh")
		})
		if err == nil || !strings.Contains(err.Error(), "oh") {
			t.Errorf("a panic: %v", err)
		}
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			_ = s.Update(t.Context(), func(ctx context.Context, tx *Tx) error {
				_ = insert("exit", 1)(ctx, tx)
				exitGoroutine()
				return nil
			})
		}()
		<-ended
		ctx, cancel := context.WithCancel(t.Context())
		err = s.Update(ctx, func(ctx context.Context, tx *Tx) error {
			_ = insert("cancelled", 1)(ctx, tx)
			cancel()
			return insert("cancelled too", 1)(ctx, tx)
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("a context that ended: %v", err)
		}
		update(t, s, insert("after", 1))
		if diff := cmp.Diff(map[string]int64{"after": 1}, values(t, s)); diff != "" {
			t.Error(diff)
		}
	})
}

// R1: many writers at once; every acknowledged unit is there and no other.
func TestR1_ManyWriters(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, open func(*Options) *Store) {
		s := withTable(t, open(nil))
		update(t, s, insert("sum", 0))
		const writers, each = 32, 10
		var wg sync.WaitGroup
		for w := range writers {
			wg.Go(func() {
				for i := range each {
					err := s.Update(t.Context(), func(ctx context.Context, tx *Tx) error {
						if _, err := tx.Exec(ctx, "TestAdd", tx.Space(), "sum", 1); err != nil {
							return err
						}
						if i%5 == 4 {
							return ErrConflict
						}
						return insert(fmt.Sprint(w, "/", i), w)(ctx, tx)
					})
					if (i%5 == 4) != errors.Is(err, ErrConflict) || i%5 != 4 && err != nil {
						t.Errorf("unit %d of %d: %v", i, w, err)
					}
				}
			})
		}
		wg.Wait()
		all := values(t, s)
		if want := writers * each * 4 / 5; len(all) != want+1 || all["sum"] != int64(want) {
			t.Errorf("%d rows, sum %d, want %d", len(all)-1, all["sum"], want)
		}
	})
}

// R1: store time, and numbers of a feed without gaps.
func TestR4_NextHasNoGaps(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, open func(*Options) *Store) {
		s := withTable(t, open(nil))
		var wg sync.WaitGroup
		for w := range 8 {
			wg.Go(func() {
				for i := range 10 {
					_ = s.Update(t.Context(), func(ctx context.Context, tx *Tx) error {
						seq, err := tx.Next(ctx, "events")
						if err != nil {
							return err
						}
						if i%3 == 0 {
							return ErrConflict
						}
						return insert(fmt.Sprintf("%04d", seq), w)(ctx, tx)
					})
				}
			})
		}
		wg.Wait()
		all := values(t, s)
		for seq := 1; seq <= 48; seq++ {
			if _, ok := all[fmt.Sprintf("%04d", seq)]; !ok {
				t.Errorf("number %d is missing", seq)
			}
		}
		err := s.View(t.Context(), func(ctx context.Context, tx *Tx) error {
			now, err := tx.Now(ctx)
			if off := time.Since(time.UnixMicro(now)).Abs(); err != nil || off > time.Minute {
				return fmt.Errorf("store time is off by %v: %w", off, err)
			}
			last, err := tx.Last(ctx, "events")
			none, err2 := tx.Last(ctx, "none")
			if last != 48 || none != 0 || len(all) != 48 {
				return fmt.Errorf("last numbers %d and %d, %d rows", last, none, len(all))
			}
			return errors.Join(err, err2)
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// R1: two stores on one database have separate spaces.
func TestR1_SpacesAreApart(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, open func(*Options) *Store) {
		a, b := withTable(t, open(&Options{Space: "a"})), withTable(t, open(&Options{Space: "b"}))
		update(t, a, insert("x", 1))
		update(t, b, insert("x", 2))
		if values(t, a)["x"] != 1 || values(t, b)["x"] != 2 {
			t.Error("one space sees the rows of the other")
		}
	})
}

// R1: every statement can be prepared on both engines, and the code uses it.
func TestR1_EveryStatementIsPrepared(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, open func(*Options) *Store) {
		s := open(nil)
		for name, st := range s.statements {
			if err := prepareOnly(t.Context(), s, st.text); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}

func prepareOnly(ctx context.Context, s *Store, text string) error {
	var db *sql.DB
	switch e := s.engine.(type) {
	case *postgresEngine:
		db = e.db
	case *sqliteEngine:
		db = e.read
	}
	st, err := db.PrepareContext(ctx, text)
	if err != nil {
		return err
	}
	return st.Close()
}

// R1: at most 12 statements are for one engine only, none uses LIKE, and each is
// run by the code.
func TestR1_StatementRules(t *testing.T) {
	t.Parallel()
	code := sources(t)
	dialects := map[string]bool{}
	for _, engine := range []string{engineSQLite, enginePostgres} {
		all, err := parseStatements(statementsFile, engine)
		if err != nil {
			t.Fatal(err)
		}
		for name, st := range all {
			if st.dialect {
				dialects[name+engine] = true
			}
			if regexp.MustCompile(`(?i)\bI?LIKE\b`).MatchString(st.text) {
				t.Errorf("%s uses LIKE, which the engines compare differently", name)
			}
			if regexp.MustCompile(`\bSELECT \*`).MatchString(st.text) {
				t.Errorf("%s selects *, which changes when a newer version adds a column", name)
			}
			if !strings.Contains(code, `"`+name+`"`) {
				t.Errorf("%s is not used", name)
			}
		}
	}
	if len(dialects) > 12 {
		t.Errorf("%d statements are for one engine only: %v", len(dialects), dialects)
	}
}

// sources returns the code of the package without tests.
func sources(t *testing.T) string {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(data)
	}
	return b.String()
}

func TestR1_BadStatements(t *testing.T) {
	t.Parallel()
	for name, source := range map[string]string{
		"empty":   "-- name: A\n-- name: B\nSELECT 1\n",
		"twice":   "-- name: A\nSELECT 1\n-- name: A\nSELECT 2\n",
		"engine":  "-- name: A [oracle]\nSELECT 1\n",
		"dialect": "-- name: A [sqlite]\nSELECT 1\n-- name: A [sqlite]\nSELECT 1\n",
	} {
		if _, err := parseStatements(source, engineSQLite); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	all, err := parseStatements("-- name: A [sqlite]\nSELECT $1, $12\n-- name: A [postgres]\nSELECT 2\n-- name: B\n\nSELECT CAST($1 AS BYTEA);\n", engineSQLite)
	if err != nil || all["A"].params != 12 || all["A"].text != "SELECT $1, $12" || all["B"].text != "SELECT CAST($1 AS BLOB)" {
		t.Errorf("%v, %+v, %+v", err, all["A"], all["B"])
	}
}
