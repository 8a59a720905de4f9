package auth

import (
	"errors"

	"github.com/gongu-ai/gongu/internal/lang"
)

// The kinds of [Error], for errors.Is.
var (
	// ErrInvalid is an invalid name, glob or setting.
	ErrInvalid = errors.New("invalid setting")
	// ErrUnsafe is a public address without authentication.
	ErrUnsafe = errors.New("unsafe address")
	// ErrExists is the name of a token that exists already.
	ErrExists = errors.New("token exists already")
	// ErrNotFound is the name of a token that does not exist.
	ErrNotFound = errors.New("no such token")
	// ErrStorage is a token file that cannot be read or written, or that other
	// users can read.
	ErrStorage = errors.New("token storage failed")
)

// Error is an error with a hint, in English and Korean. errors.Is finds its
// kind, one of the above.
type Error = lang.Error
