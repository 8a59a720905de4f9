package http1

import (
	"cmp"
	"context"
	"errors"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Front is a listener that stands before a server and answers the plainest
// requests itself, on the goroutine and in the memory that the server has for
// the connection. The server sees a connection on which nothing has been read
// yet; the first request that is not plain it gets byte for byte, with all that
// follows.
//
// For each request the server of net/http starts a goroutine that notices when
// the caller leaves, sets half a dozen deadlines and copies the header of the
// answer. For a small request that costs more than the rest of what it does.
type Front struct {
	net.Listener
	server  *http.Server
	base    func() context.Context
	drained atomic.Bool
	running atomic.Int64

	mu    sync.Mutex
	conns map[*frontConn]struct{}
}

// NewFront returns a listener for the server's Serve. The server's Handler,
// BaseContext, IdleTimeout and ReadHeaderTimeout hold for plain requests, too;
// its ConnState and SetKeepAlivesEnabled are not for them, and its Close lets
// them finish. The connections are left alone that are not plain TCP, and all
// those of a server with a ConnContext or a WriteTimeout.
func NewFront(server *http.Server, l net.Listener) *Front {
	f := &Front{Listener: l, server: server, conns: map[*frontConn]struct{}{}}
	f.base = sync.OnceValue(func() context.Context {
		base := context.Background()
		if server.BaseContext != nil {
			base = server.BaseContext(l)
		}
		return context.WithValue(base, http.ServerContextKey, server)
	})
	server.RegisterOnShutdown(f.drain)
	return f
}

// Accept waits for a connection and stands before it.
func (f *Front) Accept() (net.Conn, error) {
	made, err := f.Listener.Accept()
	if err != nil {
		return nil, err
	}
	if plain, ok := made.(*net.TCPConn); ok && f.standsBefore() {
		return f.newConn(plain), nil
	}
	return made, nil
}

// standsBefore reports whether the server asks for nothing that it alone does.
func (f *Front) standsBefore() bool {
	return f.server.Handler != nil && f.server.ConnContext == nil && f.server.WriteTimeout == 0
}

// Wait waits for the plain requests that are being answered. Shutdown of the
// server, after which to call it, does not know of them.
func (f *Front) Wait(ctx context.Context) error {
	f.drain()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for f.running.Load() > 0 {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

func (f *Front) newConn(made *net.TCPConn) *frontConn {
	c := &frontConn{TCPConn: made, front: f}
	if remote := made.RemoteAddr(); remote != nil { // else it has gone already
		c.remote = remote.String()
	}
	c.idle.L = &c.mu
	c.life, c.end = context.WithCancel(context.WithValue(f.base(), http.LocalAddrContextKey, made.LocalAddr()))
	f.mu.Lock()
	defer f.mu.Unlock()
	f.conns[c] = struct{}{}
	return c
}

// drain closes connections without a request, and has the others close after
// it.
func (f *Front) drain() {
	f.drained.Store(true)
	f.mu.Lock()
	under := slices.Collect(maps.Keys(f.conns))
	f.mu.Unlock()
	for _, c := range under {
		if !c.left() {
			_ = c.Close() // one with a request is closed after it
		}
	}
}

func (f *Front) forget(c *frontConn) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.conns, c)
}

// idleTime is how long a connection may have no request.
func (f *Front) idleTime() time.Duration {
	return cmp.Or(f.server.IdleTimeout, f.server.ReadTimeout)
}

// frontConn is a connection whose plain requests are answered while the server
// waits for the first one.
type frontConn struct {
	*net.TCPConn
	front  *Front
	remote string
	life   context.Context // of the connection
	end    context.CancelFunc
	timer  *time.Timer // looks whether the caller is still there
	limit  time.Time   // until when to wait for a request, as it was set

	mu      sync.Mutex
	idle    sync.Cond // nobody looks any more
	passed  bool      // the server reads itself
	active  bool      // a request is being answered
	closed  bool      // as soon as it is not
	looking bool
	aborted bool
	ahead   []byte // what was read while looking
	cancel  context.CancelFunc
}

// Read answers plain requests until there is one that is not.
func (c *frontConn) Read(p []byte) (int, error) {
	if c.left() {
		return c.TCPConn.Read(p)
	}
	for {
		n, err := c.next(p)
		if err != nil {
			return n, err
		}
		var req http.Request
		if !plainRequest(p[:n], &req) {
			return n, c.leave()
		}
		if again := c.answer(&req); !again {
			return 0, io.EOF
		}
		if err := c.await(); err != nil {
			return 0, err
		}
	}
}

// left reports whether the server reads itself.
func (c *frontConn) left() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.passed
}

// leave lets the server read from now on, with the time for headers that a
// request has which begins now.
func (c *frontConn) leave() error {
	c.mu.Lock()
	c.passed = true
	c.mu.Unlock()
	c.front.forget(c)
	if c.timer != nil {
		c.timer.Stop()
	}
	var limit time.Time
	if d := cmp.Or(c.front.server.ReadHeaderTimeout, c.front.server.ReadTimeout); d > 0 {
		limit = time.Now().Add(d)
	}
	return c.TCPConn.SetReadDeadline(limit)
}

// next reads what may be a request.
func (c *frontConn) next(p []byte) (int, error) {
	if n := copy(p, c.ahead); n > 0 {
		c.ahead = c.ahead[:0]
		more, err := c.TCPConn.Read(p[n:])
		return n + more, err
	}
	return c.TCPConn.Read(p)
}

// await sets the time for the next request. A deadline that is nearly the right
// one stays: most connections are not idle for long.
func (c *frontConn) await() error {
	if c.front.drained.Load() {
		return io.EOF
	}
	idle := c.front.idleTime()
	if idle <= 0 {
		return c.TCPConn.SetReadDeadline(time.Time{})
	}
	limit := time.Now().Add(idle)
	if !c.limit.IsZero() && limit.Sub(c.limit) < idle/16 {
		return nil
	}
	c.limit = limit
	return c.TCPConn.SetReadDeadline(limit)
}

// Close closes the connection, after the request that is being answered: the
// server takes it for one without, because it has not read anything.
func (c *frontConn) Close() error {
	c.mu.Lock()
	wait := c.active
	c.closed = true
	c.mu.Unlock()
	if wait {
		return nil
	}
	c.front.forget(c)
	c.end()
	return c.TCPConn.Close()
}

// answer has the handler answer a request and reports whether another may
// follow.
func (c *frontConn) answer(req *http.Request) (again bool) {
	ctx, cancel := context.WithCancel(c.life)
	defer cancel()
	if !c.begin(cancel) {
		return false
	}
	good := false
	defer func() { again = c.finish() && good }() // the server hears of a panic
	defer req.Body.Close()                        // its bytes are those of the next request
	w := newFrontAnswer(c)
	req.RemoteAddr = c.remote
	c.front.server.Handler.ServeHTTP(w, req.WithContext(ctx))
	good = w.finish()
	return // see above
}

func (c *frontConn) begin(cancel context.CancelFunc) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return false
	}
	c.active, c.aborted, c.cancel = true, false, cancel
	c.front.running.Add(1)
	if c.timer == nil {
		c.timer = time.AfterFunc(lookAfter, c.look)
	} else {
		c.timer.Reset(lookAfter)
	}
	return true
}

// lookAfter is when it is worth to know whether the caller is still there.
const lookAfter = 100 * time.Millisecond

// finish ends a request and reports whether the connection is still good.
func (c *frontConn) finish() bool {
	c.timer.Stop()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.active, c.cancel = false, nil
	c.front.running.Add(-1)
	if c.looking {
		c.aborted = true
		_ = c.TCPConn.SetReadDeadline(time.Unix(1, 0)) // a closed one wakes its reader, too
		for c.looking {
			c.idle.Wait()
		}
	}
	if c.closed {
		c.front.forget(c)
		c.end()
		_ = c.TCPConn.Close() // it was to be
		return false
	}
	return true
}

// Write is for the answer. A caller that does not take it has left.
func (c *frontConn) Write(p []byte) (int, error) {
	n, err := c.TCPConn.Write(p)
	if err != nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.cancel != nil {
			c.cancel()
		}
	}
	return n, err
}

// look waits beside a handler that takes its time until the caller leaves.
func (c *frontConn) look() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.active || c.looking {
		return
	}
	c.looking = true
	c.limit = time.Time{} // not what await knows
	_ = c.TCPConn.SetReadDeadline(time.Time{})
	c.mu.Unlock()
	var one [1]byte
	n, err := c.TCPConn.Read(one[:])
	c.mu.Lock()
	c.ahead = append(c.ahead, one[:n]...)
	if timeout := net.Error(nil); err != nil && !(c.aborted && errors.As(err, &timeout) && timeout.Timeout()) && c.cancel != nil {
		c.cancel()
	}
	c.looking = false
	c.idle.Broadcast()
}
