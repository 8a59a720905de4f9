// Package jsonlines answers requests for edits and searches: JSON values, each on
// its own line, with one line of answer each. Programs that measure gongu use it.
package jsonlines

import (
	"bufio"
	"context"
	"fmt"
	"io"
)

// Write writes one answer.
type Write func(answer any) error

// answer answers each line of the input, in order. Nil is no answer. A line over
// the limit ends it with [bufio.ErrTooLong].
func answer(ctx context.Context, in io.Reader, limit int, write Write, one func(line []byte) any) error {
	lines := scanner(in, limit)
	for ctx.Err() == nil && lines.Scan() {
		answer := one(lines.Bytes())
		if answer == nil {
			continue
		}
		if err := write(answer); err != nil {
			return fmt.Errorf("print an answer: %w", err)
		}
	}
	if err := lines.Err(); err != nil {
		return &ReadError{err}
	}
	return ctx.Err()
}

// ReadError is a failure of the input.
type ReadError struct{ Err error }

func (e *ReadError) Error() string { return "read requests: " + e.Err.Error() }

func (e *ReadError) Unwrap() error { return e.Err }

func scanner(in io.Reader, limit int) *bufio.Scanner {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, limit)
	return lines
}
