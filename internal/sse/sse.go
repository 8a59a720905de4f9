// Package sse writes server-sent events.
package sse

import (
	"bytes"
	"errors"
	"net/http"
	"sync"
)

// Conn writes events to one connection. After the first error, such as a write
// timeout, it writes nothing.
type Conn struct {
	w  http.ResponseWriter
	rc *http.ResponseController

	mu     sync.Mutex
	broken error
	buf    []byte
}

// Begin sends the headers of a stream.
func Begin(w http.ResponseWriter) *Conn {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache, no-transform")
	h.Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
	return &Conn{w: w, rc: http.NewResponseController(w)}
}

// Retry sends how long a client waits before it reconnects.
func (c *Conn) Retry() error { return c.write("retry: 1000\n\n") }

// Event writes one event; id and kind may be empty. Line breaks inside of data
// become lines of data, which a client joins.
func (c *Conn) Event(id, kind string, data []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.buf = c.buf[:0]
	if id != "" {
		c.buf = append(append(append(c.buf, "id: "...), id...), '\n')
	}
	if kind != "" {
		c.buf = append(append(append(c.buf, "event: "...), kind...), '\n')
	}
	for line := range bytes.SplitSeq(data, []byte("\n")) {
		c.buf = append(append(append(c.buf, "data: "...), line...), '\n')
	}
	c.buf = append(c.buf, '\n')
	return c.writeLocked(c.buf)
}

// Comment writes a comment, to detect a client that has disconnected.
func (c *Conn) Comment() error { return c.write(": .\n\n") }

func (c *Conn) write(raw string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.writeLocked([]byte(raw))
}

func (c *Conn) writeLocked(raw []byte) error {
	if c.broken != nil {
		return c.broken
	}
	_, err := c.w.Write(raw)
	if err == nil {
		err = c.rc.Flush()
	}
	if err != nil && !errors.Is(err, http.ErrNotSupported) {
		c.broken = err
	}
	return c.broken
}

// Close makes later writes fail: the handler of the connection has returned.
func (c *Conn) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.broken == nil {
		c.broken = errors.New("the stream was closed")
	}
}
