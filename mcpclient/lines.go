package mcpclient

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strconv"
)

// lines reads messages, one on each line, and never holds more than the limit.
type lines struct {
	in    *bufio.Reader
	limit int
}

// overrun is how many times the limit a line may be long to be skipped. A line
// beyond it never ends, for all we know.
const overrun = 8

// longLine is a line over the limit. What it answers is known when its id could
// be found on the way.
type longLine struct {
	limit int
	id    int64
}

func (l *longLine) Error() string {
	return fmt.Sprintf("a message has more than %d bytes", l.limit)
}

func newLines(r io.Reader, limit int) *lines {
	return &lines{in: bufio.NewReaderSize(r, 64<<10), limit: limit}
}

// next returns a line without its end. A *longLine error leaves the reader at
// the following line; any other one is final.
func (l *lines) next() ([]byte, error) {
	var line []byte
	for {
		part, err := l.in.ReadSlice('\n')
		if len(line)+len(part) > l.limit+2 {
			return nil, l.skip(line, part, err)
		}
		line = append(line, part...)
		switch err {
		case nil:
			return bytes.TrimRight(line, "\r\n"), nil
		case bufio.ErrBufferFull:
		case io.EOF:
			if len(bytes.TrimSpace(line)) > 0 {
				return line, nil
			}
			return nil, err
		default:
			return nil, err
		}
	}
}

// skip reads over a line, looking for the id of the message in it.
func (l *lines) skip(line, part []byte, err error) error {
	var seek idSeeker
	seek.write(line)
	size := len(line)
	for {
		seek.write(part)
		size += len(part)
		switch {
		case err == nil:
			return &longLine{limit: l.limit, id: seek.id()}
		case err != bufio.ErrBufferFull:
			return err
		case size/overrun > l.limit:
			return fmt.Errorf("a message has more than %d bytes and does not end", l.limit*overrun)
		}
		part, err = l.in.ReadSlice('\n')
	}
}

// idSeeker finds the member "id" of the outermost object in JSON that passes
// by in pieces, without keeping the pieces.
type idSeeker struct {
	depth            int
	inText, escaped  bool
	text             []byte // the last text at depth 1, while it is short
	key              string // the name whose value is being read
	value            []byte
	expectName, done bool
}

func (s *idSeeker) write(raw []byte) {
	for _, b := range raw {
		if s.done {
			return
		}
		s.step(b)
	}
}

func (s *idSeeker) step(b byte) {
	if s.inText {
		s.inside(b)
		return
	}
	switch b {
	case '"':
		s.inText, s.text = true, s.text[:0]
	case '{', '[':
		s.depth++
		s.expectName = s.depth == 1
	case '}', ']':
		if s.depth == 1 {
			s.ends()
		}
		s.depth--
	case ':':
		if s.depth == 1 && s.expectName {
			s.key, s.expectName, s.value = string(s.text), false, s.value[:0]
		}
	case ',':
		if s.depth == 1 {
			s.ends()
			s.key, s.expectName = "", true
		}
	default:
		if s.depth == 1 && s.key == "id" && len(s.value) < 20 && b > ' ' {
			s.value = append(s.value, b)
		}
	}
}

func (s *idSeeker) inside(b byte) {
	switch {
	case s.escaped:
		s.escaped = false
	case b == '\\':
		s.escaped = true
	case b == '"':
		s.inText = false
	case s.depth == 1 && len(s.text) < 16:
		s.text = append(s.text, b)
	}
}

func (s *idSeeker) ends() {
	if s.key == "id" && len(s.value) > 0 {
		s.done = true
	}
}

// id is the number that was found, or 0.
func (s *idSeeker) id() int64 {
	if !s.done {
		return 0
	}
	n, err := strconv.ParseInt(string(s.value), 10, 64)
	if err != nil {
		return 0
	}
	return n
}
