package toolrequest

import (
	"errors"

	"github.com/gongu-ai/gongu/internal/lang"
)

// The kinds of [Error], for errors.Is.
var (
	// ErrInvalid is a request, decision or filter that breaks a rule.
	ErrInvalid = errors.New("invalid tool request")
	// ErrNotFound is an id that no request has.
	ErrNotFound = errors.New("no such tool request")
	// ErrDecided is a change that the status of a request does not allow.
	ErrDecided = errors.New("tool request cannot change that way")
	// ErrChanged is a decision about a request that was shown differently.
	ErrChanged = errors.New("tool request has another content")
	// ErrFull means that too many requests wait for review.
	ErrFull = errors.New("tool request queue is full")
	// ErrBusy means that another process kept the queue for too long.
	ErrBusy = errors.New("tool request queue is busy")
	// ErrStorage is a file that the system lets us neither read nor write.
	ErrStorage = errors.New("tool request queue cannot be reached")
	// ErrBroken is a file that holds no queue.
	ErrBroken = errors.New("tool request queue is broken")
	// ErrNewer is a file of a later format.
	ErrNewer = errors.New("tool request queue has a newer format")
)

// Error says what went wrong and what to do next, in English and Korean. Its
// kind, one of the above, is for errors.Is.
type Error = lang.Error
