package state

import (
	"errors"
	"path/filepath"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/gongu-ai/gongu/internal/lang"
)

// sqliteCode returns the result code of an error of SQLite, without its detail.
func sqliteCode(err error) int {
	var e *sqlite.Error
	if errors.As(err, &e) {
		return e.Code() & 0xff
	}
	return 0
}

func isBusy(err error) bool {
	code := sqliteCode(err)
	return code == sqlite3.SQLITE_BUSY || code == sqlite3.SQLITE_LOCKED
}

// ignoreNoTransaction drops the error of a rollback that SQLite did already.
func ignoreNoTransaction(err error) error {
	if sqliteCode(err) == sqlite3.SQLITE_ERROR {
		return nil
	}
	return err
}

// explain says what to do about an error of SQLite.
func (e *sqliteEngine) explain(err error) error {
	var explained *lang.Error
	if err == nil || errors.As(err, &explained) {
		return err
	}
	switch sqliteCode(err) {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return unavailable(lang.StoreBusy.With(e.path, e.busy), lang.StoreBusyHint.With(e.path), err)
	case sqlite3.SQLITE_FULL:
		return unavailable(lang.StoreFull.With(e.path), lang.StoreFullHint.With(), err)
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH:
		return unavailable(lang.StoreReadOnly.With(e.path), lang.StoreReadHint.With(filepath.Dir(e.path)), err)
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return unavailable(lang.StoreDamaged.With(e.path), lang.StoreDamagedHint.With(), err)
	case sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PROTOCOL:
		return unavailable(lang.StoreFailed.With(e.path, err), lang.StoreFailedHint.With(), err)
	}
	return err
}

func unavailable(text, hint lang.Message, cause error) error {
	return lang.NewError(ErrUnavailable, text, hint).Because(cause)
}
