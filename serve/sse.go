package serve

import (
	"bytes"
	"strconv"
	"strings"
	"sync"

	"github.com/gongu-ai/gongu/internal/sse"
)

// replay keeps the events of a session's streams for a client that reconnects.
type replay struct {
	limit int

	mu      sync.Mutex
	size    int
	events  []sentEvent
	streams map[int]*stream
	next    int
}

type sentEvent struct {
	stream, number int
	data           []byte
}

// stream is a sequence of messages on one connection after the other.
type stream struct {
	id     int
	number int
	conn   *sse.Conn
	moved  chan struct{} // closed when another connection takes over
	ended  chan struct{}
	over   bool
}

func newReplay(limit int) *replay {
	return &replay{limit: limit, streams: map[int]*stream{}, next: 1}
}

// standalone is the number of the stream that belongs to no request.
const standalone = 0

// open begins a stream on a connection.
func (r *replay) open(conn *sse.Conn) *stream {
	r.mu.Lock()
	defer r.mu.Unlock()
	t := &stream{id: r.next, conn: conn, moved: make(chan struct{}), ended: make(chan struct{})}
	r.next++
	r.streams[t.id] = t
	return t
}

// attach moves a stream to another connection, after sending the events that the
// client missed. Nil means that the stream has ended.
func (r *replay) attach(id, after int, conn *sse.Conn) *stream {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range r.events {
		if e.stream == id && e.number > after {
			if conn.Event(eventID(e.stream, e.number), "", e.data) != nil {
				return nil
			}
		}
	}
	t := r.streams[id]
	if t == nil {
		if id != standalone {
			return nil
		}
		t = &stream{id: standalone, number: after, ended: make(chan struct{})}
		r.streams[id] = t
	}
	if t.moved != nil {
		close(t.moved)
	}
	t.moved, t.conn = make(chan struct{}), conn
	return t
}

// send stores a message and writes it to the stream's connection, if it has
// one that works.
func (r *replay) send(t *stream, data []byte) {
	r.mu.Lock()
	t.number++
	number, conn := t.number, t.conn
	kept := bytes.Clone(data)
	r.events = append(r.events, sentEvent{t.id, number, kept})
	r.size += len(kept)
	for r.size > r.limit && len(r.events) > 1 {
		r.size -= len(r.events[0].data)
		r.events[0] = sentEvent{}
		r.events = r.events[1:]
	}
	r.mu.Unlock()
	if conn != nil {
		_ = conn.Event(eventID(t.id, number), "", kept) // stored for the next connection
	}
}

// finish ends a stream. Its events can still be replayed.
func (r *replay) finish(t *stream) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.streams, t.id)
	if !t.over {
		t.over = true
		close(t.ended)
	}
}

// leave detaches a connection from a stream, which continues.
func (r *replay) leave(t *stream, conn *sse.Conn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if t.conn == conn {
		t.conn = nil
	}
}

func eventID(stream, number int) string {
	return strconv.Itoa(stream) + "_" + strconv.Itoa(number)
}

func parseEventID(id string) (stream, number int, ok bool) {
	first, second, found := strings.Cut(id, "_")
	stream, err := strconv.Atoi(first)
	number, err2 := strconv.Atoi(second)
	return stream, number, found && err == nil && err2 == nil && stream >= 0 && number >= 0
}
