package stream

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
)

// Lines reads what a child process or a server writes, one line at a time. It
// never holds more than its limit, however long a line is.
type Lines struct {
	// Skipped, where it is set, gets a line over the limit in pieces, from its
	// beginning, before Next returns the [*LongLine] for it. It must not keep
	// the pieces.
	Skipped func(part []byte)

	in    *bufio.Reader
	limit int
}

// NewLines returns a reader of lines of at most limit bytes, without their ends.
func NewLines(r io.Reader, limit int) *Lines {
	return &Lines{in: bufio.NewReaderSize(r, 64<<10), limit: limit}
}

// LongLine means that a line was over the limit and was skipped.
type LongLine struct{ Limit int }

// Error names the limit.
func (l *LongLine) Error() string {
	return fmt.Sprintf("a message has more than %d bytes", l.Limit)
}

// endless is how many times the limit a line may have to be skipped. The reader
// rejects a longer one, which may have no end.
const endless = 8

// Next returns the next line without its end; the caller may keep it. The last
// line needs no end. After a [*LongLine] the following line can be read; any
// other error is final, and io.EOF the end.
func (l *Lines) Next() ([]byte, error) {
	var line []byte
	for {
		part, err := l.in.ReadSlice('\n')
		if len(line)+len(part) > l.limit+len("\r\n") {
			return nil, l.skip(line, part, err)
		}
		if room := len(line) + len(part); room > cap(line) && line != nil {
			// Doubled: append grows large slices by a quarter, and would leave
			// several times the line behind as garbage.
			line = slices.Grow(line, min(2*cap(line), l.limit+len("\r\n"))-len(line))
		}
		line = append(line, part...)
		switch {
		case err == nil:
			return bytes.TrimRight(line, "\r\n"), nil
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && len(bytes.TrimSpace(line)) > 0:
			return line, nil
		default:
			return nil, err
		}
	}
}

// skip reads to the end of a line that begins with line and part.
func (l *Lines) skip(line, part []byte, err error) error {
	l.pass(line)
	size := len(line)
	for {
		l.pass(part)
		size += len(part)
		switch {
		case err == nil:
			return &LongLine{l.limit}
		case !errors.Is(err, bufio.ErrBufferFull):
			return err
		case size/endless > l.limit:
			return fmt.Errorf("a message has more than %d bytes and does not end", l.limit*endless)
		}
		part, err = l.in.ReadSlice('\n')
	}
}

func (l *Lines) pass(part []byte) {
	if l.Skipped != nil {
		l.Skipped(part)
	}
}
