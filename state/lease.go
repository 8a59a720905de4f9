package state

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gongu-ai/gongu/internal/lang"
)

// Lease says that a host is alive. Records that a host owns carry the token of
// its lease: a host that lost the lease gets another token and cannot write them
// any more, whatever it still believes.
type Lease struct {
	store   *Store
	token   string
	renewed atomic.Pointer[time.Time] // when the last renewal was sent
	lost    chan struct{}
	once    sync.Once
}

// leases holds the lease of a store.
type leases struct {
	mu      sync.Mutex
	current *Lease
}

// Lease returns the lease of this host. The first call takes it; it is then
// renewed in the background until Close. A lease that was lost is replaced by the
// next call, with another token.
func (s *Store) Lease(ctx context.Context) (*Lease, error) {
	s.leases.mu.Lock()
	defer s.leases.mu.Unlock()
	if l := s.leases.current; l != nil && !l.isLost() {
		return l, nil
	}
	l := &Lease{store: s, token: rand.Text(), lost: make(chan struct{})}
	sent := time.Now()
	var taken bool
	err := s.Update(ctx, func(ctx context.Context, tx *Tx) (err error) {
		now, err := tx.Now(ctx)
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, "HostForget", s.options.Space, now-time.Hour.Microseconds()); err != nil {
			return err
		}
		taken, err = tx.One(ctx, "HostTake", s.options.Space, s.options.Host, l.token, now, now+s.options.Lease.Microseconds())
		return err
	})
	if err != nil {
		return nil, err
	}
	if !taken {
		return nil, lang.NewError(ErrConflict, lang.StoreHostTaken.With(s.options.Host), lang.StoreHostTakenHint.With(s.options.Lease))
	}
	l.mark(sent)
	s.leases.current = l
	if !s.start(func() { l.keep(s.background) }) {
		return nil, ErrClosed
	}
	return l, nil
}

// Token returns the fencing token: random, and different for each lease.
func (l *Lease) Token() string { return l.token }

// Valid reports whether the last renewal is recent enough to start something that
// other hosts must not start as well. It asks the monotonic clock, and the wall
// clock too, because the first can stop while the machine sleeps.
func (l *Lease) Valid() bool {
	sent, now := *l.renewed.Load(), time.Now()
	return !l.isLost() && now.Sub(sent) < l.store.options.Stale && now.Round(0).Sub(sent.Round(0)) < l.store.options.Stale
}

// Lost is closed when the lease was lost.
func (l *Lease) Lost() <-chan struct{} { return l.lost }

func (l *Lease) isLost() bool {
	select {
	case <-l.lost:
		return true
	default:
		return false
	}
}

func (l *Lease) lose() { l.once.Do(func() { close(l.lost) }) }

// mark records a renewal by the time at which it was sent: the store counts from
// a later one.
func (l *Lease) mark(sent time.Time) { l.renewed.Store(&sent) }

// keep renews the lease until the store is closed or the lease is lost.
func (l *Lease) keep(ctx context.Context) {
	s := l.store
	timer := time.NewTicker(s.options.Renew)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		sent := time.Now()
		err := l.renew(ctx)
		switch {
		case err == nil:
			l.mark(sent)
		case l.isLost():
			return // given up
		case errors.Is(err, ErrLeaseLost):
			l.lose()
			s.options.Logger.WarnContext(ctx, "this host lost its lease; what it owned goes to other hosts", "host", s.options.Host)
			return
		case ctx.Err() == nil:
			s.options.Logger.WarnContext(ctx, "the lease was not renewed", "host", s.options.Host, "error", err)
		}
	}
}

func (l *Lease) renew(ctx context.Context) error {
	s := l.store
	ctx, cancel := context.WithTimeout(ctx, s.options.Lease)
	defer cancel()
	return s.Update(ctx, func(ctx context.Context, tx *Tx) error {
		now, err := tx.Now(ctx)
		if err != nil {
			return err
		}
		hit, err := tx.One(ctx, "HostRenew", s.options.Space, l.token, now, now+s.options.Lease.Microseconds())
		if err == nil && !hit {
			return ErrLeaseLost
		}
		return err
	})
}

// release gives the lease up, so that other hosts need not wait for its end.
func (s *Store) release() {
	s.leases.mu.Lock()
	defer s.leases.mu.Unlock()
	l := s.leases.current
	if l == nil || l.isLost() {
		return
	}
	l.lose()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(s.background), s.options.Stale)
	defer cancel()
	err := s.Update(ctx, func(ctx context.Context, tx *Tx) error {
		_, err := tx.Exec(ctx, "HostRelease", s.options.Space, l.token)
		return err
	})
	if err != nil {
		s.options.Logger.WarnContext(ctx, "the lease was not given up; it ends by itself", "host", s.options.Host, "error", err)
	}
}

// UpdateOwned is [Store.Update] for records that this host owns. It first locks
// the lease and checks it; a lease that has ended means [ErrLeaseLost], and f
// does not run. No host can declare this one dead before the commit.
func (s *Store) UpdateOwned(ctx context.Context, l *Lease, f func(ctx context.Context, tx *Tx) error) error {
	return s.Update(ctx, func(ctx context.Context, tx *Tx) error {
		begun := time.Now()
		if err := tx.hold(ctx, l); err != nil {
			return err
		}
		err := f(ctx, tx)
		if err == nil && time.Since(begun) >= s.options.Stale {
			return tx.hold(ctx, l) // this process was stopped for a while
		}
		return err
	})
}

// hold locks a lease that has not ended. On SQLite the one writer is the lock; on
// PostgreSQL it is one that transactions of the same host share, also with the
// renewal, and that Fence waits for.
func (t *Tx) hold(ctx context.Context, l *Lease) error {
	held, err := t.One(ctx, "HostHold", t.Space(), l.token)
	if err == nil && !held {
		return fmt.Errorf("%w: what it owned belongs to other hosts now", ErrLeaseLost)
	}
	return err
}

// HostAlive reports whether the lease with a token has not ended.
func (t *Tx) HostAlive(ctx context.Context, token string) (bool, error) {
	now, err := t.Now(ctx)
	if err != nil {
		return false, err
	}
	var expires int64
	err = t.Row(ctx, "HostExpires", t.Space(), token).Scan(&expires)
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	return err == nil && expires > now, err
}

// Fence reports whether the lease with a token has ended, for good: it removes an
// expired lease, after the transactions that its host has open, and no later one
// can hold it. Fence a host before you take over what it owned.
func (t *Tx) Fence(ctx context.Context, token string) (ended bool, err error) {
	now, err := t.Now(ctx)
	if err != nil {
		return false, err
	}
	if _, err := t.Exec(ctx, "HostFence", t.Space(), token, now); err != nil {
		return false, err
	}
	alive, err := t.HostAlive(ctx, token)
	return err == nil && !alive, err
}
