package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	_ "modernc.org/sqlite" // for the rows without gongu

	"github.com/gongu-ai/gongu/internal/pgtest"
	"github.com/gongu-ai/gongu/state"
)

// Names of the rows that gates are about.
const (
	oneWriter   = "gongu on SQLite, 1 writer"
	manyWriters = "gongu on SQLite, 32 writers"
)

// recordsPlan is how much is written. A commit waits for the disk, so that its
// turns are longer than those of other operations.
func recordsPlan(p plan) (commits, reads pace, rows int) {
	if p.quick {
		return pace{rounds: 1, slice: 5 * time.Millisecond}, pace{rounds: 1, slice: time.Millisecond}, 2_000
	}
	return pace{rounds: 9, slice: 300 * time.Millisecond}, pace{rounds: 9, slice: 100 * time.Millisecond}, 1_000_000
}

// measureRecords is what the record store costs, beside the same statement
// without it and beside the disk alone.
func measureRecords(ctx context.Context, p plan) (section, error) {
	dir, err := os.MkdirTemp("", "gongu-bench-*")
	if err != nil {
		return section{}, err
	}
	defer func() { _ = os.RemoveAll(dir) }() // only databases are in it
	r := &records{dir: dir}
	defer r.close()
	commits, reads, rows := recordsPlan(p)
	s := section{
		title: "Records",
		text: "A transaction adds to one row of the writer's own, by the same statement everywhere, and is acknowledged after it is durable. *time* is for one transaction, with all writers at work. " +
			"The disk alone is a file to which 100 bytes are appended, with a sync for each. *database/sql* is the same driver of SQLite with one commit for each transaction. gongu lets transactions that wait share a commit.",
	}
	written, err := r.writers(ctx, commits)
	if err != nil {
		return section{}, err
	}
	s.tables = append(s.tables, table{title: "One durable transaction", relation: "gongu with 1 writer", rows: written})
	s.text += r.missing
	many, _ := find(written, manyWriters)
	s.gates = append(s.gates, atLeast("records: transactions a second of 32 writers on SQLite, to those of one", 1/many.ratio.median, 5, times))
	lost, err := r.burst(ctx, p)
	if err != nil {
		return section{}, err
	}
	s.gates = append(s.gates, atMost("records: lost in a burst of 256 writers", float64(lost), 0, whole))
	read, gates, err := r.reading(ctx, reads, rows)
	if err != nil {
		return section{}, err
	}
	s.tables = append(s.tables, read)
	s.gates = append(s.gates, gates...)
	return s, nil
}

// records are the stores that are measured.
type records struct {
	dir     string
	closers []func()
	missing string
}

func (r *records) close() {
	for _, c := range r.closers {
		c()
	}
}

func (r *records) open(ctx context.Context, url string) (*state.Store, error) {
	s, err := state.Open(ctx, url, nil)
	if err == nil {
		r.closers = append(r.closers, func() { _ = s.Close() }) // it is measured, not kept
	}
	return s, err
}

func (r *records) writers(ctx context.Context, pace pace) ([]measured, error) {
	subjects, err := r.floors(ctx)
	if err != nil {
		return nil, err
	}
	s, err := r.open(ctx, "sqlite:"+filepath.Join(r.dir, "writers.db"))
	if err != nil {
		return nil, err
	}
	for _, n := range []int{1, 32, 256} {
		subjects = append(subjects, storeSubject(ctx, "gongu on SQLite", s, n))
	}
	server, err := pgtest.New("fsync=on", "full_page_writes=on")
	switch {
	case errors.Is(err, pgtest.ErrNotInstalled):
		r.missing = " PostgreSQL is not on this machine and was not measured."
	case err != nil:
		return nil, err
	default:
		r.closers = append([]func(){server.Close}, r.closers...)
		url, err := server.Database()
		if err != nil {
			return nil, err
		}
		remote, err := r.open(ctx, url)
		if err != nil {
			return nil, err
		}
		for _, n := range []int{1, 32} {
			subjects = append(subjects, storeSubject(ctx, "gongu on PostgreSQL", remote, n))
		}
	}
	return pace.measure(subjects)
}

// storeSubject are writers of a store.
func storeSubject(ctx context.Context, name string, s *state.Store, writers int) subject {
	return subject{name: fmt.Sprintf("%s, %s", name, plural(writers, "writer")), against: oneWriter, run: func(n int) error {
		return divide(n, writers, func(writer, each int) error {
			feed := fmt.Sprint("writer", writer)
			for range each {
				err := s.Update(ctx, func(ctx context.Context, tx *state.Tx) error {
					_, err := tx.Next(ctx, feed)
					return err
				})
				if err != nil {
					return err
				}
			}
			return nil
		})
	}}
}

// divide spreads n operations over workers.
func divide(n, workers int, f func(worker, each int) error) error {
	var wg sync.WaitGroup
	var failed atomic.Pointer[error]
	for w := range workers {
		each := n / workers
		if w < n%workers {
			each++
		}
		wg.Go(func() {
			if err := f(w, each); err != nil {
				failed.CompareAndSwap(nil, &err)
			}
		})
	}
	wg.Wait()
	if err := failed.Load(); err != nil {
		return *err
	}
	return nil
}

// floors are the disk and the driver without gongu.
func (r *records) floors(ctx context.Context) ([]subject, error) {
	file, err := os.Create(filepath.Join(r.dir, "append"))
	if err != nil {
		return nil, err
	}
	r.closers = append(r.closers, func() { _ = file.Close() }) // it is removed
	db, err := sql.Open("sqlite", "file:"+filepath.Join(r.dir, "plain.db")+"?_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)")
	if err != nil {
		return nil, err
	}
	r.closers = append(r.closers, func() { _ = db.Close() }) // it is removed
	db.SetMaxOpenConns(1)
	if _, err := db.ExecContext(ctx, "CREATE TABLE feeds (space TEXT NOT NULL, feed TEXT NOT NULL, seq BIGINT NOT NULL, PRIMARY KEY (space, feed))"); err != nil {
		return nil, err
	}
	line := []byte(strings.Repeat("x", 99) + "\n")
	subjects := []subject{{name: "the disk alone", against: oneWriter, run: func(n int) error {
		for range n {
			if _, err := file.Write(line); err != nil {
				return err
			}
			if err := file.Sync(); err != nil {
				return err
			}
		}
		return nil
	}}}
	for _, writers := range []int{1, 32} {
		subjects = append(subjects, subject{name: "database/sql on SQLite, " + plural(writers, "writer"), against: oneWriter, run: func(n int) error {
			return divide(n, writers, func(writer, each int) error { return plainWriter(ctx, db, writer, each) })
		}})
	}
	return subjects, nil
}

func plainWriter(ctx context.Context, db *sql.DB, writer, each int) error {
	feed := fmt.Sprint("writer", writer)
	for range each {
		tx, err := db.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		var seq int64
		err = tx.QueryRowContext(ctx, `INSERT INTO feeds (space, feed, seq) VALUES ($1, $2, 1)
ON CONFLICT (space, feed) DO UPDATE SET seq = feeds.seq + 1 RETURNING seq`, "default", feed).Scan(&seq)
		if err != nil {
			return errors.Join(err, tx.Rollback())
		}
		if err := tx.Commit(); err != nil {
			return err
		}
	}
	return nil
}

// burst lets 256 callers write at once, and counts what is missing afterwards in
// a store that was opened again.
func (r *records) burst(ctx context.Context, p plan) (lost int, err error) {
	const callers = 256
	each := 200
	if p.quick {
		each = 4
	}
	url := "sqlite:" + filepath.Join(r.dir, "burst.db")
	s, err := state.Open(ctx, url, nil)
	if err != nil {
		return 0, err
	}
	err = storeSubject(ctx, "", s, callers).run(callers * each)
	if err := errors.Join(err, s.Close()); err != nil {
		return 0, err
	}
	if s, err = r.open(ctx, url); err != nil {
		return 0, err
	}
	err = s.View(ctx, func(ctx context.Context, tx *state.Tx) error {
		lost = 0
		for w := range callers {
			n, err := tx.Last(ctx, fmt.Sprint("writer", w))
			if err != nil {
				return err
			}
			lost += each - int(n)
		}
		return nil
	})
	return lost, err
}
