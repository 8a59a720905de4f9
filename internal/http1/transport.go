// Package http1 carries small posts over plain HTTP/1.1, as a client and as a
// server, on one goroutine.
//
// The transport of net/http has two goroutines for each connection and hands
// every request to one and every answer back from the other. For a small
// request to a server nearby these four changes of hands cost more than the
// request. A [Transport] writes and reads where it is called; what it is not
// made for it leaves to another one. A [Front] does the same before a server.
//
// Both read only what can be read in one way, and leave everything else to
// net/http before they have taken a byte of it; tests and fuzzing hold them to
// reading it as net/http does.
package http1

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptrace"
	"slices"
	"sync"
	"time"
)

// Transport is an http.RoundTripper for small posts without encryption. Other
// is required.
type Transport struct {
	// Dial makes connections; nil has no limits of its own.
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)
	// Other takes all other requests.
	Other http.RoundTripper
	// Direct reports whether a request goes straight to its server and not
	// through a proxy; nil means that all do.
	Direct func(*http.Request) bool
	// MaxIdle is how many connections to one server are kept (default 2), and
	// IdleTime for how long (default a minute).
	MaxIdle  int
	IdleTime time.Duration

	mu     sync.Mutex
	idle   map[string][]*conn // the last one was used last
	timer  *time.Timer
	closed bool
}

const (
	// maxBody is the largest body that is written before an answer is read. A
	// server may answer before it has read all, and then both would wait.
	maxBody = 1 << 20
	// maxHeader bounds what is read before the body of an answer begins.
	maxHeader = 1 << 20
)

// takes reports whether a request is of the kind this is made for.
func (t *Transport) takes(req *http.Request) bool {
	if req.Method != http.MethodPost || req.URL.Scheme != "http" || req.URL.Host == "" || req.Body == nil ||
		req.ContentLength <= 0 || req.ContentLength > maxBody || req.Close || len(req.TransferEncoding) > 0 || len(req.Trailer) > 0 {
		return false
	}
	for _, name := range []string{"Upgrade", "Expect", "Connection"} {
		if len(req.Header[name]) > 0 {
			return false
		}
	}
	return t.Direct == nil || t.Direct(req)
}

// RoundTrip sends a request and returns when the answer begins.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if !t.takes(req) {
		return t.other(req)
	}
	defer func() { _ = req.Body.Close() }() // a round tripper has to
	ctx := req.Context()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	c, err := t.connection(ctx, address(req))
	if err != nil {
		return nil, err
	}
	// The end of the context ends whatever the connection waits for.
	e := errandOf(ctx)
	stop := watch(ctx, e, c.interrupt)
	if e != nil {
		e.Sent()
	} else if trace := httptrace.ContextClientTrace(ctx); trace != nil && trace.WroteHeaders != nil {
		trace.WroteHeaders() // from here on it may have been seen
	}
	resp, err := c.exchange(req)
	if err != nil {
		stop()
		_ = c.Close() // it is of no use any more
		t.drop(c.addr)
		if ended := ctx.Err(); ended != nil {
			return nil, ended
		}
		return nil, err
	}
	b := &body{Reader: resp.Body, conn: c, transport: t, ctx: ctx, stop: stop, again: !resp.Close}
	resp.Body = b
	if resp.ContentLength == 0 {
		b.finish(true)
	}
	return resp, nil
}

// address is where a request goes to.
func address(req *http.Request) string {
	if req.URL.Port() != "" {
		return req.URL.Host
	}
	return net.JoinHostPort(req.URL.Hostname(), "80")
}

// connection is one that was used before and is still open, or a new one.
func (t *Transport) connection(ctx context.Context, addr string) (*conn, error) {
	for {
		c := t.take(addr)
		if c == nil {
			break
		}
		if c.open() {
			return c, nil
		}
		_ = c.Close() // the server has closed it, and perhaps others
		t.drop(addr)
	}
	dial := t.Dial
	if dial == nil {
		dial = new(net.Dialer).DialContext
	}
	made, err := dial(ctx, "tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("connect: %w", err)
	}
	return newConn(made, addr), nil
}

func (t *Transport) take(addr string) *conn {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = false
	kept := t.idle[addr]
	if len(kept) == 0 {
		return nil
	}
	last := len(kept) - 1
	c := kept[last]
	kept[last] = nil
	t.idle[addr] = kept[:last]
	return c
}

// keep takes a connection back whose answer was read to its end.
func (t *Transport) keep(c *conn) {
	most, length := t.MaxIdle, t.IdleTime
	if most == 0 {
		most = 2
	}
	if length == 0 {
		length = time.Minute
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed || len(t.idle[c.addr]) >= most {
		_ = c.Close() // nobody waits for it
		return
	}
	if t.idle == nil {
		t.idle = map[string][]*conn{}
	}
	c.until = time.Now().Add(length)
	t.idle[c.addr] = append(t.idle[c.addr], c)
	if t.timer == nil {
		t.timer = time.AfterFunc(min(length, look), t.sweep)
	}
}

// look is how often idle connections are looked at.
const look = time.Second

// sweep closes what was not used for long or was closed by its server, and
// comes again while there is something left.
func (t *Transport) sweep() {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	for addr := range t.idle {
		t.dropLocked(addr, now)
	}
	if len(t.idle) == 0 {
		t.timer = nil
		return
	}
	t.timer.Reset(look)
}

// drop closes idle connections that their server has closed.
func (t *Transport) drop(addr string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.dropLocked(addr, time.Now())
}

func (t *Transport) dropLocked(addr string, now time.Time) {
	if len(t.idle[addr]) == 0 {
		delete(t.idle, addr)
		return
	}
	kept := slices.DeleteFunc(t.idle[addr], func(c *conn) bool {
		over := !c.until.After(now) || !c.open()
		if over {
			_ = c.Close() // it was idle
		}
		return over
	})
	if t.idle[addr] = kept; len(kept) == 0 {
		delete(t.idle, addr)
	}
}

// CloseIdleConnections closes what is not in use, here and in Other.
func (t *Transport) CloseIdleConnections() {
	t.mu.Lock()
	t.closed = true // what is in use now is not kept, unless more follows
	for _, kept := range t.idle {
		for _, c := range kept {
			_ = c.Close() // it was idle
		}
	}
	t.idle = nil
	if t.timer != nil {
		t.timer.Stop()
		t.timer = nil
	}
	t.mu.Unlock()
	if other, ok := t.Other.(interface{ CloseIdleConnections() }); ok {
		other.CloseIdleConnections()
	}
}

// errHeader is an answer that never comes to its body.
var errHeader = errors.New("the header of the answer is too large")
