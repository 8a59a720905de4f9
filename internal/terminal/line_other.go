//go:build !linux && !darwin

package terminal

import (
	"bufio"
	"context"
	"io"
)

// pendingLine is a read that no question waits for any more. The next one takes it
// over, because it cannot be ended.
type pendingLine struct {
	rest []byte
	line chan typed
}

type typed struct {
	text []byte
	err  error
}

// readByte returns the next byte of a line that was typed.
func (t *Terminal) readByte(ctx context.Context) (byte, error) {
	if len(t.pending.rest) == 0 {
		if t.pending.line == nil {
			line := make(chan typed, 1)
			t.pending.line = line
			go func() {
				text, err := bufio.NewReaderSize(t.In, maxLine).ReadSlice('\n')
				line <- typed{text, err}
			}()
		}
		select {
		case <-ctx.Done():
			return 0, ctx.Err()
		case got := <-t.pending.line:
			t.pending.rest, t.pending.line = got.text, nil
			if len(t.pending.rest) == 0 {
				if got.err == nil {
					got.err = io.EOF
				}
				return 0, got.err
			}
		}
	}
	next := t.pending.rest[0]
	t.pending.rest = t.pending.rest[1:]
	return next, nil
}

// Foreground reports whether this process may read what is typed.
func (t *Terminal) Foreground() bool { return true }

// Keep returns a function that restores the settings of the terminal; there are
// none to restore here.
func (t *Terminal) Keep() func() { return func() {} }

// forget drops a line that was read for a question before.
func (t *Terminal) forget() {
	t.pending.rest = nil
	select {
	case <-t.pending.line:
		t.pending.line = nil
	default:
	}
}
