package http1

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"syscall"
	"time"
)

// conn is one connection. One request at a time has it.
type conn struct {
	net.Conn
	addr  string
	until time.Time // when it was idle for too long
	in    *bufio.Reader
	out   *bufio.Writer
	raw   syscall.RawConn
	// left is how much may still be read before the body begins.
	left int
}

func newConn(made net.Conn, addr string) *conn {
	c := &conn{Conn: made, addr: addr}
	c.in, c.out = bufio.NewReaderSize(c, 4<<10), bufio.NewWriterSize(made, 4<<10)
	if plain, ok := made.(syscall.Conn); ok {
		if raw, err := plain.SyscallConn(); err == nil {
			c.raw = raw
		}
	}
	return c
}

// Read is for the reader of the connection.
func (c *conn) Read(p []byte) (int, error) {
	if c.left <= 0 {
		return 0, errHeader
	}
	n, err := c.Conn.Read(p)
	c.left -= n
	return n, err
}

// unlimited is what the body of an answer may take: whoever reads it has a
// limit of its own.
const unlimited = int(^uint(0) >> 1)

// interrupt wakes whoever reads or writes. The connection is not used again.
func (c *conn) interrupt() {
	_ = c.SetDeadline(time.Unix(1, 0)) // a closed connection wakes its users, too
}

// exchange writes a request and reads the answer up to its body.
func (c *conn) exchange(req *http.Request) (*http.Response, error) {
	err := c.write(req)
	if err == nil {
		err = c.out.Flush()
	}
	// A server that does not want a request may answer it before it was
	// written, and close the connection.
	wrote := err
	c.left = maxHeader
	for {
		resp, plain := plainAnswer(c.in, req)
		var err error
		if !plain {
			resp, err = http.ReadResponse(c.in, req)
		}
		switch {
		case err != nil && wrote != nil:
			return nil, fmt.Errorf("send the request: %w", wrote)
		case err != nil:
			return nil, unexpected(err)
		case resp.StatusCode < 200 && resp.StatusCode != http.StatusSwitchingProtocols:
			continue // the answer is still to come
		}
		c.left = unlimited
		resp.Close = resp.Close || wrote != nil || resp.StatusCode == http.StatusSwitchingProtocols
		return resp, nil
	}
}

// unexpected keeps the end of a connection from looking like the end of an
// answer.
func unexpected(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("the server closed the connection before its answer: %w", io.ErrUnexpectedEOF)
	}
	return err
}

// body is the body of an answer. At its end the connection is free again.
type body struct {
	Reader    io.ReadCloser
	conn      *conn
	transport *Transport
	ctx       context.Context
	stop      func() bool
	again     bool

	mu   sync.Mutex
	done bool
}

// Read passes on the body and notices its end.
func (b *body) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if err == nil {
		return n, nil
	}
	if ended := b.ctx.Err(); ended != nil && !errors.Is(err, io.EOF) {
		err = ended
	}
	b.finish(errors.Is(err, io.EOF))
	return n, err
}

// Close ends an answer, read or not.
func (b *body) Close() error {
	b.finish(false)
	return nil
}

// finish gives the connection back, or closes it when something of the answer
// may still be on its way.
func (b *body) finish(whole bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.done {
		return
	}
	b.done = true
	// An interruption that has begun could hit the next request.
	if untouched := b.stop(); whole && untouched && b.again && b.conn.in.Buffered() == 0 {
		b.transport.keep(b.conn)
		return
	}
	_ = b.conn.Close() // nothing depends on how
}
