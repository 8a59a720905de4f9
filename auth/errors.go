package auth

import (
	"errors"

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
	ErrStorage = errors.New("token storage failed")
)

// Error says what went wrong and what to do next, in English and Korean. Its
// kind, one of the above, is for errors.Is.
type Error = lang.Error
