package mcpclient

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"time"

	"github.com/gongu-ai/gongu/internal/stream"
)

// event is one server-sent event.
type event struct {
	id, name string
	data     []byte
	retry    time.Duration
}

// events reads a stream of server-sent events, none larger than the limit.
type events struct {
	lines *stream.Lines
	limit int
}

func newEvents(r io.Reader, limit int) *events {
	return &events{lines: stream.NewLines(r, limit), limit: limit}
}

// next returns the next event that has data, an id or a retry time.
func (e *events) next() (event, error) {
	var ev event
	var seen bool
	for {
		line, err := e.lines.Next()
		if errors.Is(err, io.EOF) && seen {
			return ev, nil // the blank line after the last event is missing
		}
		if err != nil {
			return event{}, err
		}
		if len(line) == 0 {
			if seen {
				return ev, nil
			}
			continue
		}
		if ev.field(line) {
			seen = true
		}
		if len(ev.data) > e.limit {
			return event{}, &stream.LongLine{Limit: e.limit}
		}
	}
}

// field adds one line to the event and reports whether it is a known field.
// Comments, which begin with a colon, are not.
func (ev *event) field(line []byte) bool {
	name, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	switch string(name) {
	case "data":
		switch {
		case ev.data != nil:
			ev.data = append(append(ev.data, '\n'), value...)
		case value != nil:
			ev.data = value // the line is the event's own, and may be large
		default:
			ev.data = []byte{}
		}
	case "id":
		ev.id = string(value)
	case "event":
		ev.name = string(value)
	case "retry":
		ms, err := strconv.ParseUint(string(value), 10, 31)
		if err != nil {
			return false
		}
		ev.retry = time.Duration(ms) * time.Millisecond
	default:
		return false
	}
	return true
}
