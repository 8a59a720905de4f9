package state

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gongu-ai/gongu/internal/pgtest"
)

// longest is when a test that waits gives up: it only means "does not hang".
const longest = time.Minute

// add returns a unit that adds 1 to rows.
func add(ids ...string) unit {
	return func(ctx context.Context, tx *Tx) error {
		for _, id := range ids {
			if hit, err := tx.One(ctx, "TestAdd", tx.Space(), id, 1); err != nil || !hit {
				return fmt.Errorf("add to %s: %v, %w", id, hit, err)
			}
		}
		return nil
	}
}

// withParameter adds a parameter to a URL.
func withParameter(t *testing.T, address, name, value string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	q.Set(name, value)
	u.RawQuery = q.Encode()
	return u.String()
}

// setting reads a setting of a session of the store.
func setting(t *testing.T, s *Store, name string) string {
	t.Helper()
	e, ok := s.engine.(*postgresEngine)
	if !ok {
		t.Fatalf("a store on %s", s.Engine())
	}
	var value string
	if err := e.db.QueryRowContext(t.Context(), "SELECT setting FROM pg_settings WHERE name = $1", name).Scan(&value); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return value
}

// R1: a session that hangs loses its locks before its host loses its lease, and
// commits are durable, whatever the URL says.
func TestR1_PostgresSessionSettings(t *testing.T) {
	t.Parallel()
	address := pgtest.URL(t)
	for _, name := range []string{"idle_in_transaction_session_timeout", "lock_timeout", "statement_timeout"} {
		address = withParameter(t, address, name, "0")
	}
	s := openAt(t, withParameter(t, address, "synchronous_commit", "off"), &Options{Lease: 9 * time.Second})
	for _, name := range []string{"idle_in_transaction_session_timeout", "lock_timeout", "statement_timeout"} {
		ms, err := strconv.Atoi(setting(t, s, name))
		if err != nil || ms <= 0 || ms >= 9000 {
			t.Errorf("%s is %d ms (%v); it must be below the lease of 9 s", name, ms, err)
		}
	}
	if on := setting(t, s, "synchronous_commit"); on != "on" {
		t.Errorf("synchronous_commit is %s", on)
	}
}

// R1: on PostgreSQL two transactions can read the same value and both go on. The
// conditional update of the second hits no row, so that no change is lost.
func TestR1_PostgresLosesNoUpdate(t *testing.T) {
	t.Parallel()
	s := withTable(t, openAt(t, pgtest.URL(t), nil))
	update(t, s, insert("n", 1))
	var hit bool
	update(t, s, func(ctx context.Context, tx *Tx) error {
		var n int64
		var none []byte
		if err := tx.Row(ctx, "TestGet", tx.Space(), "n").Scan(&n, &none); err != nil {
			return err
		}
		// Another writer reads the same and commits first. The context is new,
		// because this transaction is not its own.
		err := s.Update(t.Context(), func(ctx context.Context, tx *Tx) error {
			_, err := tx.One(ctx, "TestSet", tx.Space(), "n", n+1, n)
			return err
		})
		if err != nil {
			return err
		}
		hit, err = tx.One(ctx, "TestSet", tx.Space(), "n", n+10, n)
		return err
	})
	if got := values(t, s)["n"]; hit || got != 2 {
		t.Errorf("the second update hit: %v, value %d; want no hit and 2", hit, got)
	}
}

// R1: readers that decide and write again and again, on both engines, lose no
// change.
func TestR1_ReadThenWrite(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, open func(*Options) *Store) {
		s, second := withTable(t, open(nil)), withTable(t, open(nil))
		update(t, s, insert("n", 0))
		const writers, each = 8, 10
		var wg sync.WaitGroup
		for w := range writers {
			store := []*Store{s, second}[w%2]
			wg.Go(func() {
				for done := 0; done < each; {
					var hit bool
					err := store.Update(t.Context(), func(ctx context.Context, tx *Tx) (err error) {
						var n int64
						var none []byte
						if err := tx.Row(ctx, "TestGet", tx.Space(), "n").Scan(&n, &none); err != nil {
							return err
						}
						hit, err = tx.One(ctx, "TestSet", tx.Space(), "n", n+1, n)
						return err
					})
					if err != nil {
						t.Error(err)
						return
					}
					if hit {
						done++
					}
				}
			})
		}
		wg.Wait()
		if got := values(t, s)["n"]; got != writers*each {
			t.Errorf("%d of %d changes are there", got, writers*each)
		}
	})
}

// R4: a number of a feed is not given out while an earlier one can still be
// committed or rolled back, so that a reader who asks for what follows misses
// nothing.
func TestR4_PostgresFeedOrder(t *testing.T) {
	t.Parallel()
	s := openAt(t, pgtest.URL(t), nil)
	took, release, second := make(chan int64), make(chan struct{}), make(chan int64, 1)
	var wg sync.WaitGroup
	wg.Go(func() {
		err := s.Update(t.Context(), func(ctx context.Context, tx *Tx) error {
			n, err := tx.Next(ctx, "f")
			took <- n
			<-release
			return err
		})
		if err != nil {
			t.Error(err)
		}
	})
	first := <-took
	wg.Go(func() {
		var n int64
		err := s.Update(t.Context(), func(ctx context.Context, tx *Tx) (err error) {
			n, err = tx.Next(ctx, "f")
			return err
		})
		if err != nil {
			t.Error(err)
		}
		second <- n
	})
	e, ok := s.engine.(*postgresEngine)
	if !ok {
		t.Fatal("another engine")
	}
	eventually(t, "the second writer waits for the first", func() bool {
		n, err := queryInt(t.Context(), e.db, "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'")
		return err == nil && n == 1
	})
	select {
	case n := <-second:
		t.Errorf("number %d was committed while %d was open", n, first)
	default:
	}
	close(release)
	wg.Wait()
	if n := <-second; first != 1 || n != 2 {
		t.Errorf("numbers %d and %d", first, n)
	}
}

// R1: two transactions that lock each other's rows: the server ends one of them,
// and it runs again.
func TestR1_PostgresDeadlockRunsAgain(t *testing.T) {
	t.Parallel()
	s := withTable(t, openAt(t, pgtest.URL(t), nil))
	update(t, s, insert("a", 0))
	update(t, s, insert("b", 0))
	var both sync.WaitGroup
	both.Add(2)
	var wg sync.WaitGroup
	runs := [2]int{}
	for i, order := range [][]string{{"a", "b"}, {"b", "a"}} {
		wg.Go(func() {
			err := s.Update(t.Context(), func(ctx context.Context, tx *Tx) error {
				runs[i]++
				if err := add(order[0])(ctx, tx); err != nil {
					return err
				}
				if runs[i] == 1 {
					both.Done()
					both.Wait()
				}
				return add(order[1])(ctx, tx)
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if diff := cmp.Diff(map[string]int64{"a": 2, "b": 2}, values(t, s)); diff != "" || runs[0]+runs[1] < 3 {
		t.Errorf("%d runs, want at least 3: %s", runs[0]+runs[1], diff)
	}
}

// R5: a server that cannot be used is a clear error without the password (K13).
func TestR5_PostgresCannotBeOpened(t *testing.T) {
	t.Parallel()
	address := pgtest.URL(t)
	parsed, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	password, _ := parsed.User.Password()
	refusing := pgtest.NewProxy(t, address)
	refusing.Refuse(true)
	noDatabase, wrong := *parsed, *parsed
	noDatabase.Path = "/nothing"
	wrong.User = url.UserPassword(parsed.User.Username(), "wrong"+password)
	for name, address := range map[string]string{
		"no server":      "postgres://gongu:" + password + "@127.0.0.1:1/x?connect_timeout=1",
		"refused":        refusing.URL(),
		"no database":    noDatabase.String(),
		"wrong password": wrong.String(),
		"no folder":      "postgres://gongu:" + password + "@/x?host=" + url.QueryEscape(t.TempDir()),
		"not a URL":      "postgres://gongu:" + password + "@host:port/x",
	} {
		s, err := Open(t.Context(), address, nil)
		if err == nil {
			t.Errorf("%s: opened", name)
			_ = s.Close() // the test failed already
			continue
		}
		if !errors.Is(err, ErrUnavailable) && !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: not one of the kinds of errors: %v", name, err)
		}
		if strings.Contains(err.Error(), password) {
			t.Errorf("%s: the error has the password: %v", name, err)
		}
	}
}

// R1: keys sort by bytes on both engines, although the language of the database
// sorts differently.
func TestR1_KeysSortByBytes(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, open func(*Options) *Store) {
		s := open(nil)
		names := []string{"A", "B", "Z", "_", "a", "b", "z", "Ä", "가", "é"}
		for _, name := range names {
			update(t, s, func(ctx context.Context, tx *Tx) error {
				_, err := tx.Next(ctx, name)
				return err
			})
		}
		st, err := parseStatements("-- name: TestFeeds\nSELECT feed, seq FROM feeds WHERE space = $1 ORDER BY feed\n", s.Engine())
		if err != nil {
			t.Fatal(err)
		}
		s.statements["TestFeeds"] = st["TestFeeds"]
		var got []string
		err = s.View(t.Context(), func(ctx context.Context, tx *Tx) error {
			got = nil
			rows, err := tx.Query(ctx, "TestFeeds", tx.Space())
			if err != nil {
				return err
			}
			defer rows.Close()
			for rows.Next() {
				var name string
				var seq int64
				if err := rows.Scan(&name, &seq); err != nil {
					return err
				}
				got = append(got, name)
			}
			return rows.Err()
		})
		if err != nil {
			t.Fatal(err)
		}
		if want := []string{"A", "B", "Z", "_", "a", "b", "z", "Ä", "é", "가"}; !cmp.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}
