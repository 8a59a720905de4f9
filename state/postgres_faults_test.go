//go:build unix

package state

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gongu-ai/gongu/internal/pgtest"
)

// pairs are writers that keep two rows equal and count what they were told.
type pairs struct {
	s    *Store
	stop atomic.Bool
	wg   sync.WaitGroup
	// acknowledged and unknown count the outcomes of each writer.
	acknowledged, unknown []atomic.Int64
	failures              atomic.Int64
}

func startPairs(t *testing.T, s *Store, writers int) *pairs {
	t.Helper()
	p := &pairs{s: s, acknowledged: make([]atomic.Int64, writers), unknown: make([]atomic.Int64, writers)}
	for w := range writers {
		update(t, s, insert(fmt.Sprint("a", w), 0))
		update(t, s, insert(fmt.Sprint("b", w), 0))
	}
	t.Cleanup(p.end)
	for w := range writers {
		p.wg.Go(func() {
			for !p.stop.Load() {
				err := s.Update(context.WithoutCancel(t.Context()), add(fmt.Sprint("a", w), fmt.Sprint("b", w)))
				switch {
				case err == nil:
					p.acknowledged[w].Add(1)
					continue
				case errors.Is(err, ErrUnknownOutcome):
					p.unknown[w].Add(1)
				case !errors.Is(err, ErrUnavailable):
					t.Errorf("writer %d: an error of no kind: %v", w, err)
				}
				p.failures.Add(1)
			}
		})
	}
	return p
}

func (p *pairs) end() {
	p.stop.Store(true)
	p.wg.Wait()
}

func (p *pairs) total() int64 {
	var n int64
	for i := range p.acknowledged {
		n += p.acknowledged[i].Load()
	}
	return n
}

// progress waits until n more transactions are acknowledged.
func (p *pairs) progress(t *testing.T, n int64) {
	t.Helper()
	want := p.total() + n
	eventually(t, "writers go on", func() bool { return p.total() >= want })
}

// check compares the rows with what the writers were told.
func (p *pairs) check(t *testing.T) {
	t.Helper()
	p.end()
	all := values(t, p.s)
	for w := range p.acknowledged {
		a, b := all[fmt.Sprint("a", w)], all[fmt.Sprint("b", w)]
		least := p.acknowledged[w].Load()
		if most := least + p.unknown[w].Load(); a != b || a < least || a > most {
			t.Errorf("writer %d: rows %d and %d, acknowledged %d, at most %d", w, a, b, least, most)
		}
	}
}

// times returns how often a fault is repeated: a sample, or all with GONGU_CHAOS.
func times(sample, all int) int {
	if os.Getenv("GONGU_CHAOS") != "" {
		return all
	}
	return sample
}

// R5: writers on PostgreSQL while the server restarts, is killed, ends their
// sessions, or the network is lost: nothing acknowledged is lost, nothing is
// half done, and they go on without being opened again.
func TestR5_PostgresFaults(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t)
	address := server.URL(t)
	proxy := pgtest.NewProxy(t, address)
	s := withTable(t, openAt(t, proxy.URL(), &Options{Lease: 6 * time.Second}))
	p := startPairs(t, s, 6)
	faults := []struct {
		name string
		do   func()
	}{
		{"restart", func() { server.Restart(t) }},
		{"kill", func() { server.Kill(); server.Start(t) }},
		{"cut", func() { proxy.Cut() }},
		{"sessions ended", func() {
			server.Exec(t, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'gongu'")
		}},
		{"answers lost", func() { proxy.HoldReplies(); proxy.Cut(); proxy.Release() }},
		{"refused", func() {
			proxy.Refuse(true)
			proxy.Cut()
			before := p.failures.Load()
			eventually(t, "an error that is told", func() bool { return p.failures.Load() > before })
			proxy.Refuse(false)
		}},
	}
	rnd := rand.New(rand.NewPCG(10, 5))
	for round := range times(1, 50) {
		for _, i := range rnd.Perm(len(faults)) {
			p.progress(t, 1+rnd.Int64N(60))
			faults[i].do()
			p.progress(t, 10)
			if t.Failed() {
				t.Fatalf("after %q in round %d", faults[i].name, round)
			}
		}
	}
	p.check(t)
}

// R5: the answer to a commit is lost. The outcome is told as unknown and the unit
// does not run a second time, because it may have been committed, as here.
func TestR5_PostgresCommitAnswerLost(t *testing.T) {
	t.Parallel()
	address := pgtest.URL(t)
	proxy := pgtest.NewProxy(t, address)
	s, direct := withTable(t, openAt(t, proxy.URL(), nil)), withTable(t, openAt(t, address, nil))
	update(t, s, insert("n", 0))
	runs := 0
	outcome := make(chan error, 1)
	go func() {
		outcome <- s.Update(t.Context(), func(ctx context.Context, tx *Tx) error {
			runs++
			defer proxy.HoldReplies()
			return add("n")(ctx, tx)
		})
	}()
	eventually(t, "the commit", func() bool { return values(t, direct)["n"] == 1 })
	proxy.Cut()
	proxy.Release()
	if err := <-outcome; !errors.Is(err, ErrUnknownOutcome) || !errors.Is(err, ErrUnavailable) || runs != 1 {
		t.Errorf("after %d runs: %v", runs, err)
	}
	update(t, s, add("n"))
	if n := values(t, direct)["n"]; n != 2 {
		t.Errorf("the row is %d, want 2", n)
	}
}

// R5: a connection that is lost before the commit: the unit runs again, and what
// it wrote is there once.
func TestR5_PostgresLostInsideATransaction(t *testing.T) {
	t.Parallel()
	proxy := pgtest.NewProxy(t, pgtest.URL(t))
	s := withTable(t, openAt(t, proxy.URL(), nil))
	update(t, s, insert("n", 0))
	runs := 0
	update(t, s, func(ctx context.Context, tx *Tx) error {
		if err := add("n")(ctx, tx); err != nil {
			return err
		}
		if runs++; runs == 1 {
			proxy.Cut()
		}
		return add("n")(ctx, tx)
	})
	if n := values(t, s)["n"]; n != 2 || runs != 2 {
		t.Errorf("the row is %d after %d runs, want 2 and 2", n, runs)
	}
}

// R5: a server that is there and does not answer, as one that was stopped: reads
// and writes fail in a bounded time, before and inside a transaction, and work
// again afterwards.
func TestR5_PostgresDoesNotAnswer(t *testing.T) {
	t.Parallel()
	proxy := pgtest.NewProxy(t, pgtest.URL(t))
	s := withTable(t, openAt(t, proxy.URL(), nil))
	update(t, s, insert("n", 0))
	e, ok := s.engine.(*postgresEngine)
	if !ok {
		t.Fatal("another engine")
	}
	long := e.slowest
	e.slowest = 500 * time.Millisecond
	fails := func(what string, do func() error) {
		t.Helper()
		outcome := make(chan error, 1)
		go func() { outcome <- do() }()
		select {
		case err := <-outcome:
			if !errors.Is(err, ErrUnavailable) {
				t.Errorf("%s: %v", what, err)
			}
		case <-time.After(longest):
			t.Errorf("%s: still waiting after %v", what, longest)
		}
	}
	proxy.Hold()
	fails("a write that begins", func() error { return s.Update(t.Context(), add("n")) })
	fails("a read that begins", func() error {
		return s.View(t.Context(), func(ctx context.Context, tx *Tx) error { _, err := tx.Now(ctx); return err })
	})
	proxy.Cut()
	proxy.Release()
	fails("a statement", func() error {
		return s.Update(t.Context(), func(ctx context.Context, tx *Tx) error {
			if _, err := tx.Now(ctx); err != nil {
				return err
			}
			proxy.Hold()
			return add("n")(ctx, tx)
		})
	})
	proxy.Cut()
	proxy.Release()
	fails("a commit", func() error {
		return s.Update(t.Context(), func(ctx context.Context, tx *Tx) error {
			defer proxy.Hold()
			return add("n")(ctx, tx)
		})
	})
	proxy.Cut()
	proxy.Release()
	e.slowest = long
	update(t, s, add("n"))
	if n := values(t, s)["n"]; n != 1 {
		t.Errorf("the row is %d, want 1: what failed was not written", n)
	}
}
