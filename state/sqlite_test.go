package state

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// waitingUnits runs a unit that waits until others are queued behind it, so that
// they share a commit if any do.
func waitingUnits(t *testing.T, s *Store, units []unit) []error {
	t.Helper()
	inside, release := make(chan struct{}), make(chan struct{})
	var first, wg sync.WaitGroup
	first.Go(func() {
		_ = s.Update(t.Context(), func(context.Context, *Tx) error {
			close(inside)
			<-release
			return nil
		})
	})
	<-inside
	outcomes := make([]error, len(units))
	for i, f := range units {
		wg.Go(func() { outcomes[i] = s.Update(t.Context(), f) })
	}
	time.Sleep(time.Millisecond) // most are queued by now; tests do not rely on it
	close(release)
	first.Wait()
	wg.Wait()
	return outcomes
}

// R1: units that wait share one commit: while the last of them runs, a reader
// sees none of them.
func TestR1_WaitingUnitsShareACommit(t *testing.T) {
	t.Parallel()
	s := withTable(t, openAt(t, newStoreURL(t, engineSQLite), nil))
	round := 0
	eventually(t, "forty units in one commit", func() bool {
		round++
		before := len(values(t, s))
		var mu sync.Mutex
		seen := 0
		units := make([]unit, 40)
		for i := range units {
			units[i] = func(ctx context.Context, tx *Tx) error {
				mu.Lock()
				seen = max(seen, len(values(t, s))-before)
				mu.Unlock()
				return insert(fmt.Sprint(round, " ", i), 1)(ctx, tx)
			}
		}
		for _, err := range waitingUnits(t, s, units) {
			if err != nil {
				t.Error(err)
			}
		}
		return seen == 0
	})
}

// R1: a batch has at most 64 units, and one that must run alone ends it.
func TestR1_BatchIsBounded(t *testing.T) {
	t.Parallel()
	w := &writer{queue: make(chan *waiting)}
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		for i := range 100 {
			w.queue <- &waiting{alone: i == 80}
		}
	}()
	var sizes []int
	for total := 0; total < 100; {
		batch, alone := w.collect([]*waiting{<-w.queue})
		total += len(batch)
		if alone != nil {
			total++
		}
		sizes = append(sizes, len(batch))
	}
	<-sent
	for _, n := range sizes {
		if n > 64 {
			t.Errorf("a batch of %d", n)
		}
	}
}

// R1: in a shared commit the failure of one unit, by an error, a panic, the end
// of its goroutine or of its context, undoes that unit alone, and the others run
// once.
func TestR1_FailuresInASharedCommit(t *testing.T) {
	t.Parallel()
	s := withTable(t, openAt(t, newStoreURL(t, engineSQLite), nil))
	s.statements["TestSlow"] = &statement{name: "TestSlow", params: 1, text: `INSERT INTO test_rows (space, id, n)
		WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 20000) SELECT $1, 'slow', MAX(i) FROM c`}
	var runs [20]int
	units := make([]unit, len(runs))
	for i := range units {
		units[i] = func(ctx context.Context, tx *Tx) error {
			runs[i]++
			if err := insert(fmt.Sprint(i), i)(ctx, tx); err != nil {
				return err
			}
			switch i % 4 {
			case 1:
				return ErrConflict
			case 2:
				panic("oh")
			case 3:
				ctx, cancel := context.WithCancel(ctx)
				time.AfterFunc(time.Millisecond, cancel)
				_, err := tx.Exec(ctx, "TestSlow", tx.Space())
				return errors.Join(err, insert("after", 1)(ctx, tx), ErrNotFound)
			}
			return nil
		}
	}
	outcomes := waitingUnits(t, s, units)
	want := map[string]int64{}
	for i, err := range outcomes {
		if runs[i] != 1 {
			t.Errorf("unit %d ran %d times", i, runs[i])
		}
		if (err == nil) != (i%4 == 0) {
			t.Errorf("unit %d: %v", i, err)
		}
		if i%4 == 0 {
			want[fmt.Sprint(i)] = int64(i)
		}
	}
	if diff := cmp.Diff(want, values(t, s)); diff != "" {
		t.Error(diff)
	}
}

// R1: when SQLite undoes the whole transaction because of one unit, the others
// run again without it.
func TestR1_WholeTransactionIsUndone(t *testing.T) {
	t.Parallel()
	s := withTable(t, openAt(t, newStoreURL(t, engineSQLite), nil))
	update(t, s, insert("x", 1))
	s.statements["TestUndo"] = &statement{name: "TestUndo", params: 1, text: `INSERT OR ROLLBACK INTO test_rows (space, id, n) VALUES ($1, 'x', 2)`}
	units := []unit{}
	for i := range 10 {
		units = append(units, insert(fmt.Sprint(i), i))
	}
	units = append(units, func(ctx context.Context, tx *Tx) error { _, err := tx.Exec(ctx, "TestUndo", tx.Space()); return err })
	outcomes := waitingUnits(t, s, units)
	for i, err := range outcomes {
		if (err == nil) != (i < 10) {
			t.Errorf("unit %d: %v", i, err)
		}
	}
	if all := values(t, s); len(all) != 11 || all["x"] != 1 {
		t.Error(all)
	}
}

// R1: after Close a unit is refused, and those that were queued have an outcome.
func TestR1_CloseWhileUnitsWait(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, open func(*Options) *Store) {
		s := withTable(t, open(nil))
		var wg sync.WaitGroup
		var mu sync.Mutex
		acknowledged := map[string]int64{}
		for w := range 8 {
			wg.Go(func() {
				for i := 0; ; i++ {
					id := fmt.Sprint(w, " ", i)
					if err := s.Update(t.Context(), insert(id, i)); err != nil {
						if !errors.Is(err, ErrClosed) && !errors.Is(err, ErrUnavailable) && !errors.Is(err, sql.ErrConnDone) && !strings.Contains(err.Error(), "closed") {
							t.Error(err)
						}
						return
					}
					mu.Lock()
					acknowledged[id] = int64(i)
					mu.Unlock()
				}
			})
		}
		eventually(t, "some units", func() bool { mu.Lock(); defer mu.Unlock(); return len(acknowledged) > 20 })
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		wg.Wait()
		if err := s.View(t.Context(), insert("x", 1)); !errors.Is(err, ErrClosed) {
			t.Errorf("a view after Close: %v", err)
		}
		all := values(t, withTable(t, open(nil)))
		for id := range acknowledged {
			if _, ok := all[id]; !ok {
				t.Errorf("%s was acknowledged and is not there", id)
			}
		}
	})
}

// R1: the file is private, whatever its name; another program's file, a network
// file system and addresses of no store are refused.
func TestR1_SQLiteFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "new folder", "a?b#c%41 한.db")
	s := openAt(t, file, nil)
	update(t, s, grow("x"))
	for _, name := range []string{file, file + "-wal", file + "-shm"} {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(filepath.Dir(file)); err != nil || len(left) != 1 {
		t.Errorf("files that were left: %v, %v", left, err)
	}
	if err := os.Chmod(file, 0o644); err != nil {
		t.Fatal(err)
	}
	openAt(t, "sqlite:"+file, nil)
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("a wide file stays %v, %v", info.Mode(), err)
	}

	other := filepath.Join(dir, "other.db")
	db, err := sql.Open("sqlite", other)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), "CREATE TABLE songs (title TEXT)"); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	before, _ := os.ReadFile(other)
	if _, err := Open(t.Context(), other, nil); !errors.Is(err, ErrInvalid) {
		t.Errorf("another program's file: %v", err)
	}
	if after, _ := os.ReadFile(other); string(after) != string(before) {
		t.Error("another program's file was changed")
	}
	nfs := &Options{network: func(string) (string, error) { return "NFS", nil }}
	if _, err := Open(t.Context(), filepath.Join(dir, "nfs.db"), nfs); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), "NFS") {
		t.Errorf("a network file system: %v", err)
	}
	for _, url := range []string{"", "mysql://x/y", "http://x"} {
		if _, err := Open(t.Context(), url, nil); !errors.Is(err, ErrInvalid) {
			t.Errorf("%q: %v", url, err)
		}
	}
	if os.Geteuid() == 0 {
		if err := os.Chown(file, 65534, 65534); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(t.Context(), file, nil); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), "another user") {
			t.Errorf("a file of another user: %v", err)
		}
	}
}

// R1: the file is written with a write-ahead log and every commit reaches the
// disk.
func TestR1_SQLiteSettings(t *testing.T) {
	t.Parallel()
	s := openAt(t, newStoreURL(t, engineSQLite), nil)
	e, ok := s.engine.(*sqliteEngine)
	if !ok {
		t.Fatal("another engine")
	}
	for query, want := range map[string]string{"PRAGMA journal_mode": "wal", "PRAGMA synchronous": "2", "PRAGMA trusted_schema": "0"} {
		got, err := queryStrings(t.Context(), e.w.c.conn, query)
		if err != nil || len(got) != 1 || got[0] != want {
			t.Errorf("%s: %v, %v", query, got, err)
		}
	}
}

// R5: a damaged file is a clear error that names the way back, and stays as it
// is.
func TestR5_SQLiteDamage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	sound := filepath.Join(dir, "sound.db")
	s := withTable(t, openAt(t, sound, nil))
	update(t, s, func(ctx context.Context, tx *Tx) error {
		for i := range 2000 {
			if err := insert(fmt.Sprintf("a row with a long name %d", i), i)(ctx, tx); err != nil {
				return err
			}
		}
		return nil
	})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(sound)
	if err != nil {
		t.Fatal(err)
	}
	page := append([]byte(nil), data...)
	for i := len(page) - 12*4096; i < len(page); i++ {
		page[i] = 0xee
	}
	for name, content := range map[string][]byte{
		"not a database": []byte(strings.Repeat("not a database ", 100)),
		"header":         append([]byte("SQLite format 4\x00"), data[16:]...),
		"cut":            data[:len(data)/2],
		"pages":          page,
	} {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, content, 0o600); err != nil {
			t.Fatal(err)
		}
		err := useDamaged(t, file)
		if !errors.Is(err, ErrUnavailable) || !strings.Contains(err.Error(), "damaged") || !strings.Contains(err.Error(), "gongu state restore") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// useDamaged opens a damaged file and reads it, and returns the error.
func useDamaged(t *testing.T, file string) error {
	t.Helper()
	s, err := Open(t.Context(), file, nil)
	if err != nil {
		return err
	}
	defer s.Close()
	problems, err := s.Check(t.Context())
	if err == nil && len(problems) == 0 {
		t.Errorf("%s: check finds nothing", file)
	}
	s.statements["TestRead"] = &statement{name: "TestRead", text: "SELECT COUNT(*), SUM(LENGTH(id)) FROM test_rows NOT INDEXED"}
	return s.View(t.Context(), func(ctx context.Context, tx *Tx) error {
		var n, size int64
		return tx.Row(ctx, "TestRead").Scan(&n, &size)
	})
}
