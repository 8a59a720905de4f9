//go:build !linux && !darwin

package terminal

import (
	"bufio"
	"context"
	"io"
)

// typing is a read that no question waits for any more. The next one takes it
// over, because it cannot be ended.
type typing struct {
	rest []byte
	line chan typed
}

type typed struct {
	text []byte
	err  error
}

// readByte returns the next byte of a line that was typed.
func (t *Terminal) readByte(ctx context.Context) (byte, error) {
	if len(t.rest) == 0 {
		if t.line == nil {
			line := make(chan typed, 1)
			t.line = line
			go func() {
				text, err := bufio.NewReaderSize(t.In, maxLine).ReadSlice('\n')
				line <- typed{text, err}
			}()
		}
		select {
		case <-ctx.Done():
			return 0, ctx.Err()
		case got := <-t.line:
			t.rest, t.line = got.text, nil
			if len(t.rest) == 0 {
				if got.err == nil {
					got.err = io.EOF
				}
				return 0, got.err
			}
		}
	}
	next := t.rest[0]
	t.rest = t.rest[1:]
	return next, nil
}

// Foreground reports whether this process may read what is typed.
func (t *Terminal) Foreground() bool { return true }

// Keep returns a function that restores the settings of the terminal; there are
// none to restore here.
func (t *Terminal) Keep() func() { return func() {} }

// forget drops a line that was read for a question before.
func (t *Terminal) forget() {
	t.rest = nil
	select {
	case <-t.line:
		t.line = nil
	default:
	}
}
