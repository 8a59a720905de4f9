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

// Error says what went wrong and what to do next, to a model or a person.
type Error struct {
	// Near are ids like the one that was not found.
	Near []string

	kind       error
	cause      error // of the system, or nil
	text, hint lang.Message
}

// Error is the message with the way out, in English.
func (e *Error) Error() string { return e.Message("en") + ": " + e.Hint("en") }

// Message says what went wrong, in a language: "en" or "ko".
func (e *Error) Message(language string) string { return e.text.In(tongue(language)) }

// Hint says what to do next, in a language: "en" or "ko".
func (e *Error) Hint(language string) string { return e.hint.In(tongue(language)) }

// Unwrap gives the kind, and the cause when the system had one.
func (e *Error) Unwrap() []error {
	if e.cause == nil {
		return []error{e.kind}
	}
	return []error{e.kind, e.cause}
}

func tongue(language string) lang.Lang {
	l, _ := lang.Parse(language)
	return l
}

func refuse(kind error, text, hint lang.Message) *Error {
	return &Error{kind: kind, text: text, hint: hint}
}
