//go:build !unix

package pgtest

import (
	"errors"
	"testing"
)

var errUnix = errors.New("the tests of the record store on PostgreSQL run on Linux and macOS only; on Windows run make check in place of make test, or make test under WSL")

// Server is a PostgreSQL server on Unix systems.
type Server struct{}

// New fails: the server is run on Unix systems only.
func New(...string) (*Server, error) { return nil, errors.Join(ErrNotInstalled, errUnix) }

// Database fails.
func (*Server) Database() (string, error) { return "", errUnix }

// Close does nothing.
func (*Server) Close() {}

// URL fails the test: the server is run on Unix systems only. With -short the
// test is skipped.
func URL(tb testing.TB) string {
	tb.Helper()
	if testing.Short() {
		tb.Skip("needs a PostgreSQL server; make test runs it") //rules:skip make check needs nothing that must be installed
	}
	tb.Fatal(errUnix)
	return ""
}
