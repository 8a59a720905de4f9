package state

import (
	"context"
	"errors"
	"testing"
	"time"
)

// short are options with leases that end within a test, and hold on a machine that
// is busy.
func short(host string) *Options {
	return &Options{Host: host, Lease: 3 * time.Second, Renew: 500 * time.Millisecond, Stale: 2 * time.Second}
}

func lease(t *testing.T, s *Store) *Lease {
	t.Helper()
	l, err := s.Lease(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// eventually waits for a condition; the deadline means that it never comes.
func eventually(t *testing.T, what string, f func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !f(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("never: %s", what)
		}
	}
}

func fenced(t *testing.T, s *Store, token string) (ended bool) {
	t.Helper()
	update(t, s, func(ctx context.Context, tx *Tx) (err error) {
		ended, err = tx.Fence(ctx, token)
		return err
	})
	return ended
}

func alive(t *testing.T, s *Store, token string) (alive bool) {
	t.Helper()
	err := s.View(t.Context(), func(ctx context.Context, tx *Tx) (err error) {
		alive, err = tx.HostAlive(ctx, token)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return alive
}

// R7: a lease is renewed in the background, holds what its host writes, and its
// name and token belong to one process.
func TestR7_LeaseIsRenewed(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, open func(*Options) *Store) {
		a, b := withTable(t, open(short("a"))), open(short("a"))
		l := lease(t, a)
		if again := lease(t, a); again != l {
			t.Error("a host has two leases")
		}
		if _, err := b.Lease(t.Context()); !errors.Is(err, ErrConflict) {
			t.Errorf("a second process with the same name: %v", err)
		}
		first := *l.renewed.Load()
		eventually(t, "a renewal after the first lease would have ended", func() bool { return l.renewed.Load().Sub(first) > 3100*time.Millisecond })
		if !l.Valid() || !alive(t, b, l.Token()) || fenced(t, b, l.Token()) {
			t.Error("a lease that is renewed counts as ended")
		}
		if err := a.UpdateOwned(t.Context(), l, insert("owned", 1)); err != nil {
			t.Error(err)
		}
		if err := a.Close(); err != nil {
			t.Error(err)
		}
		if l.Valid() || alive(t, b, l.Token()) {
			t.Error("the lease of a closed store goes on")
		}
		lease(t, b) // at once: the name is free
	})
}

// R7: a host that does not renew loses the lease for good: it writes nothing, and
// another one takes over.
func TestR7_LostLeaseWritesNothing(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, open func(*Options) *Store) {
		o := short("a")
		o.Renew = 1900 * time.Millisecond // the first renewal comes after the lease was ended by hand
		a, b := withTable(t, open(o)), open(short("b"))
		l := lease(t, a)
		expire(t, b)
		if alive(t, b, l.Token()) {
			t.Error("an expired lease counts as alive")
		}
		ran := false
		err := a.UpdateOwned(t.Context(), l, func(ctx context.Context, tx *Tx) error {
			ran = true
			return insert("late", 1)(ctx, tx)
		})
		if !errors.Is(err, ErrLeaseLost) || ran {
			t.Errorf("a write without a lease: ran %v, %v", ran, err)
		}
		eventually(t, "the loss is noticed", func() bool { return !l.Valid() && l.isLost() })
		if !fenced(t, b, l.Token()) {
			t.Error("an expired lease cannot be ended")
		}
		if len(values(t, a)) != 0 {
			t.Error("something was written")
		}
		renewed := lease(t, a)
		if renewed.Token() == l.Token() || !renewed.Valid() {
			t.Error("the lease after a lost one is the same")
		}
		if err := a.UpdateOwned(t.Context(), l, insert("late", 1)); !errors.Is(err, ErrLeaseLost) {
			t.Errorf("the old token writes again: %v", err)
		}
		if err := a.UpdateOwned(t.Context(), renewed, insert("new", 1)); err != nil {
			t.Error(err)
		}
	})
}

// expire ends all leases as if their time had passed.
func expire(t *testing.T, s *Store) {
	t.Helper()
	st, err := parseStatements("-- name: TestExpire\nUPDATE hosts SET expires = 1 WHERE space = $1\n", s.Engine())
	if err != nil {
		t.Fatal(err)
	}
	s.statements["TestExpire"] = st["TestExpire"]
	update(t, s, func(ctx context.Context, tx *Tx) error {
		_, err := tx.Exec(ctx, "TestExpire", tx.Space())
		return err
	})
}

// R7: without a renewal a lease is no longer valid, before it ends in the store.
func TestR7_StaleBeforeExpired(t *testing.T) {
	t.Parallel()
	s := openAt(t, newStoreURL(t, engineSQLite), nil)
	l := lease(t, s)
	for name, tc := range map[string]struct {
		age  time.Duration
		wall time.Duration
		want bool
	}{
		"fresh":                          {want: true},
		"just valid":                     {age: 9 * time.Second, want: true},
		"stale":                          {age: 10 * time.Second},
		"after the sleep of the machine": {wall: time.Minute},
	} {
		sent := time.Now().Add(-tc.age)
		if tc.wall > 0 {
			sent = time.Now().Round(0).Add(-tc.wall)
		}
		l.mark(sent)
		if l.Valid() != tc.want {
			t.Errorf("%s: valid %v", name, !tc.want)
		}
	}
}

// R7: a host is declared dead only after its open transactions, and an expired
// name is taken by exactly one of many.
func TestR7_FenceWaitsForOpenTransactions(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, open func(*Options) *Store) {
		a, b := withTable(t, open(nil)), open(nil)
		l := lease(t, a)
		inside, fencedAt := make(chan struct{}), make(chan bool, 1)
		go func() {
			<-inside
			expire(t, b)
			fencedAt <- fenced(t, b, l.Token())
		}()
		if a.Engine() == engineSQLite {
			close(inside) // the one writer keeps the others waiting anyway
			<-fencedAt
			return
		}
		err := a.UpdateOwned(t.Context(), l, func(ctx context.Context, tx *Tx) error {
			close(inside)
			eventually(t, "the other host waits", func() bool { return waitsForLock(t, b) })
			select {
			case <-fencedAt:
				return errors.New("fenced during a transaction")
			default:
			}
			return insert("in time", 1)(ctx, tx)
		})
		if err != nil || !<-fencedAt {
			t.Errorf("the open transaction: %v", err)
		}
		if values(t, a)["in time"] != 1 {
			t.Error("the write of the open transaction is missing")
		}
	})
}

func waitsForLock(t *testing.T, s *Store) bool {
	t.Helper()
	e, ok := s.engine.(*postgresEngine)
	if !ok {
		t.Fatal("not PostgreSQL")
	}
	n, err := queryInt(t.Context(), e.db, "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'")
	if err != nil {
		t.Error(err)
	}
	return n > 0
}
