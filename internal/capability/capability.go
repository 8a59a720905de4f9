// Package capability has the error of a tool that asks its caller for what the
// caller cannot do. The root package returns it, and serve tells the client
// which capability to declare.
package capability

import (
	"errors"
	"fmt"
)

// What a tool can ask of its caller.
const (
	Elicit = "elicit"
	Sample = "sample"
)

// MissingError means that the caller cannot do what a tool asks for. It is an
// [errors.ErrUnsupported].
type MissingError struct {
	Asked string // Elicit or Sample
}

func (e *MissingError) Error() string {
	return fmt.Sprintf("%s: the caller cannot answer: %v", e.Asked, errors.ErrUnsupported)
}

// Unwrap returns errors.ErrUnsupported.
func (e *MissingError) Unwrap() error { return errors.ErrUnsupported }
