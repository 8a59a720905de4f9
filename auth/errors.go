package auth

import (
	"errors"
	"io/fs"
	"os"

	"github.com/gongu-ai/gongu/internal/lang"
)

// The kinds of [Error], for errors.Is.
var (
	// ErrInvalid is a name, glob or setting that breaks a rule.
	ErrInvalid = errors.New("invalid setting")
	// ErrUnsafe is an address that must not be served without authentication.
	ErrUnsafe = errors.New("unsafe address")
	// ErrExists is a token whose name another one has.
	ErrExists = errors.New("token exists already")
	// ErrNotFound is a name that no token has.
	ErrNotFound = errors.New("no such token")
	// ErrStorage is a file of tokens that cannot be read, trusted or written.
	ErrStorage = errors.New("tokens cannot be reached")
)

// Error says what went wrong and what to do next.
type Error struct {
	// Near are names like the one that was not found.
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

func refusal(kind error, text, hint lang.Message) *Error {
	return &Error{kind: kind, text: text, hint: hint}
}

// bare is an error without the path, which stands in ours.
func bare(err error) error {
	if problem, ok := errors.AsType[*fs.PathError](err); ok {
		return problem.Err
	}
	if problem, ok := errors.AsType[*os.LinkError](err); ok {
		return problem.Err
	}
	return err
}
