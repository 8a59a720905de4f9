package state

import (
	"crypto/rand"
	"fmt"
	"log/slog"
	"time"
)

// Options of [Open]. The zero value works.
type Options struct {
	// Space is the first column of every key, so that several bundles can share a
	// store. The default is "default".
	Space string
	// Host is the name of this host in leases. The default is a random name.
	Host string
	// Lease is how long a lease lasts without renewal (15 s), Renew how often it is
	// renewed (5 s), and Stale the age of the last renewal after which
	// [Lease.Valid] is false (10 s).
	Lease, Renew, Stale time.Duration
	// Busy is how long a write on SQLite waits for another process that is writing
	// (5 s).
	Busy time.Duration
	// RetainEvery is how often the limits of [Store.KeepWithin] are applied (10 min).
	RetainEvery time.Duration
	// Key, of [KeySize] bytes, seals the exact arguments, questions, answers and
	// results of waiting calls, and the keys that sign, so that they cannot be read
	// in the database. All hosts of a store need the same key. Nil keeps them as
	// they are.
	Key []byte
	// Logger is told what happens in the background. The default discards it.
	Logger *slog.Logger

	// network replaces the check for network file systems, for tests.
	network func(path string) (kind string, err error)
	// more are kinds of records of tests.
	more []recordKind
}

func (o *Options) withDefaults() (Options, error) {
	var out Options
	if o != nil {
		out = *o
	}
	set(&out.Space, "default")
	if out.Host == "" {
		out.Host = rand.Text()
	}
	set(&out.Lease, 15*time.Second)
	set(&out.Renew, out.Lease/3)
	set(&out.Stale, out.Lease*2/3)
	set(&out.Busy, 5*time.Second)
	set(&out.RetainEvery, 10*time.Minute)
	set(&out.Logger, slog.New(slog.DiscardHandler))
	if out.network == nil {
		out.network = networkFileSystem
	}
	if out.Lease < 0 || out.Renew <= 0 || out.Renew >= out.Stale || out.Stale >= out.Lease {
		return out, fmt.Errorf("state: renew (%v) must be shorter than stale (%v), and stale shorter than the lease (%v)", out.Renew, out.Stale, out.Lease)
	}
	return out, nil
}

// set sets a field that has its zero value.
func set[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}
