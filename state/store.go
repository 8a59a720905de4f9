package state

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/gongu-ai/gongu/internal/lang"
)

// Store is an open store of records. It is safe for concurrent use.
type Store struct {
	options    Options
	engine     engine
	statements map[string]*statement
	sealer     *sealer
	kinds      []recordKind

	background context.Context // ends with Close
	stop       context.CancelFunc
	starting   sync.Mutex // between start and Close
	work       sync.WaitGroup
	closing    sync.Once
	closed     error
	leases     leases
	watchers   watchers
	limits     limits
	sweeping   sync.Once // approvals that are over
}

// unit is the function that runs in a transaction.
type unit = func(ctx context.Context, tx *Tx) error

// engine is what differs between SQLite and PostgreSQL.
type engine interface {
	name() string
	// place names the store for people, without a password.
	place() string
	// migrate brings the tables up to date.
	migrate(ctx context.Context, all []migration) error
	update(ctx context.Context, s *Store, f unit) error
	view(ctx context.Context, s *Store, f unit) error
	// changed reports whether another connection may have written since the last
	// call.
	changed(ctx context.Context) (bool, error)
	// announce tells other processes that feeds have grown, and listen calls hear
	// with what they announce until ctx ends. Both are hints.
	announce(s *Store, feeds []string)
	listen(ctx context.Context, s *Store, hear func(feed string))
	// backup writes all records to a new file.
	backup(ctx context.Context, s *Store, path string) error
	// replace runs f in a transaction without limits of time that keeps other
	// writers away.
	replace(ctx context.Context, f func(ctx context.Context, h handle) error) error
	versions(ctx context.Context, h handle) (versions, error)
	// tables returns the names of the tables with records.
	tables(ctx context.Context, h handle) ([]string, error)
	check(ctx context.Context) ([]Problem, error)
	// explain says what to do about an error of the engine.
	explain(err error) error
	close() error
}

// Open opens the store at a URL: sqlite:PATH or a plain path for a file, which it
// makes if it is missing, and postgres://USER@HOST/DATABASE for a PostgreSQL
// database, where the tables lie in the schema gongu unless the URL sets
// search_path. It brings the tables up to date; a store that a newer version of
// gongu changed is refused ([ErrNewer]).
func Open(ctx context.Context, url string, o *Options) (*Store, error) {
	options, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	e, err := connect(ctx, url, &options)
	if err != nil {
		return nil, err
	}
	s, err := newStore(ctx, e, options)
	if err != nil {
		return nil, errors.Join(err, e.close())
	}
	return s, nil
}

// connect opens the engine that a URL names.
func connect(ctx context.Context, url string, o *Options) (engine, error) {
	scheme, _, isURL := strings.Cut(url, "://")
	switch {
	case url == "":
		return nil, lang.NewError(ErrInvalid, lang.StoreNoURL.With(), lang.StoreURLHint.With())
	case scheme == "postgres" || scheme == "postgresql":
		return openPostgres(ctx, url, o)
	case strings.HasPrefix(url, "sqlite:"):
		return openSQLite(ctx, strings.TrimPrefix(strings.TrimPrefix(url, "sqlite:"), "//"), o)
	case isURL:
		return nil, lang.NewError(ErrInvalid, lang.StoreScheme.With(scheme), lang.StoreURLHint.With())
	}
	return openSQLite(ctx, url, o)
}

func newStore(ctx context.Context, e engine, o Options) (*Store, error) {
	migrations, err := loadMigrations(migrationFiles, e.name())
	if err != nil {
		return nil, err
	}
	if err := e.migrate(ctx, migrations); err != nil {
		return nil, fmt.Errorf("open the store: %w", err)
	}
	statements, err := parseStatements(statementsFile, e.name())
	if err != nil {
		return nil, err
	}
	s := &Store{options: o, engine: e, statements: statements, kinds: append(kinds(), o.more...)}
	if s.sealer, err = newSealer(o.Key); err != nil {
		return nil, err
	}
	s.background, s.stop = context.WithCancel(context.WithoutCancel(ctx))
	if err := s.checkKey(ctx); err != nil {
		s.stop()
		return nil, fmt.Errorf("open the store: %w", err)
	}
	return s, nil
}

// Close ends the work in the background and closes the store. Transactions that
// have begun are finished first.
func (s *Store) Close() error {
	s.closing.Do(func() {
		s.release()
		s.starting.Lock()
		s.stop()
		s.starting.Unlock()
		s.work.Wait()
		s.closed = s.engine.close()
	})
	return s.closed
}

// start runs f in the background; Close waits for it. After Close nothing starts.
func (s *Store) start(f func()) bool {
	s.starting.Lock()
	defer s.starting.Unlock()
	if s.background.Err() != nil {
		return false
	}
	s.work.Go(f)
	return true
}

// Engine returns "sqlite" or "postgres".
func (s *Store) Engine() string { return s.engine.name() }

// Space returns the first column of every key of this store.
func (s *Store) Space() string { return s.options.Space }

// String names the store, without a password.
func (s *Store) String() string { return s.engine.place() }

// insideKey marks the context of a function that runs in a transaction.
type insideKey struct{}

var errNested = errors.New("state: a transaction inside a transaction; use the one that is there")

// Update runs f in a transaction that can write, and returns after the commit is
// durable. An error of f is returned and nothing is written; a panic is returned
// as an error. f runs again after a conflict with another transaction, so it
// works on tx alone and resets what it returns through captured variables. It
// must not do I/O or wait: on SQLite it keeps all other writers waiting. There,
// units that wait share one commit.
//
// ctx ends the waiting and the statements of f. Once f has returned, Update waits
// for the commit, so that its outcome is known.
func (s *Store) Update(ctx context.Context, f func(ctx context.Context, tx *Tx) error) error {
	if ctx.Value(insideKey{}) != nil {
		return errNested
	}
	return s.engine.update(ctx, s, f)
}

// View runs f in a transaction that reads one state of the store.
func (s *Store) View(ctx context.Context, f func(ctx context.Context, tx *Tx) error) error {
	if ctx.Value(insideKey{}) != nil {
		return errNested
	}
	return s.engine.view(ctx, s, f)
}

// call runs f and turns a panic into an error.
func (s *Store) call(ctx context.Context, tx *Tx, f unit) (err error) {
	defer func() {
		if p := recover(); p != nil {
			s.options.Logger.ErrorContext(ctx, "panic in a transaction", "panic", fmt.Sprint(p), "stack", stack())
			err = tx.finish(fmt.Errorf("state: panic in a transaction: %v", p))
		}
	}()
	return tx.finish(f(context.WithValue(ctx, insideKey{}, true), tx))
}
