package state

import "errors"

// Kinds of errors of a store.
var (
	// ErrConflict means that a record is in another state than the change needs.
	ErrConflict = errors.New("the record was changed by another writer")
	// ErrNotFound means that there is no such record.
	ErrNotFound = errors.New("no such record")
	// ErrUnavailable means that the store cannot be read or written now.
	ErrUnavailable = errors.New("the store is not available")
	// ErrUnknownOutcome is an [ErrUnavailable] during a commit: read the records to
	// learn whether it took place.
	ErrUnknownOutcome = errors.New("the connection was lost during the commit")
	// ErrLeaseLost means that this host's lease has ended, so that it must not
	// write what it owned.
	ErrLeaseLost = errors.New("the lease of this host has ended")
	// ErrNewer means that a newer version of gongu changed the store.
	ErrNewer = errors.New("the store is of a newer version")
	// ErrClosed means that the store was closed.
	ErrClosed = errors.New("the store is closed")
	// ErrInvalid means that an address, an option or a file cannot be used.
	ErrInvalid = errors.New("not valid")
)
